import { readFileSync } from 'node:fs'
import { replaceFile } from '@tidegate/client/safe-files'
import type { Address } from 'viem'

/** What has been seeded, kept beside the state: a later start resumes where an earlier one ended, and does nothing twice. */
export interface SeedNotes {
  /** Factory of the chain that it was seeded on: another chain starts anew. */
  factory: Address
  /** Port of the file server, which the published files name. */
  filesPort: number
  /** DIDs by key of the sample. */
  assets: Record<string, string>
  /** Orders and changes of state that were made. */
  done: string[]
}

/** Reads the notes; empty ones if there are none of this chain. */
export function readNotes(file: string, factory: Address): SeedNotes {
  try {
    const notes = JSON.parse(readFileSync(file, 'utf8')) as SeedNotes
    if (notes.factory === factory) return notes
  } catch {
    // none yet, or not complete
  }
  return { factory, filesPort: 0, assets: {}, done: [] }
}

/** Replaces the notes atomically. */
export function writeNotes(file: string, notes: SeedNotes): void {
  replaceFile(file, `${JSON.stringify(notes, null, 2)}\n`)
}
