import { readFileSync } from 'node:fs'
import { replaceFile } from '@tidegate/common/safe-files'
import type { Address } from 'viem'

/** The record of finished steps. A later start continues after them. */
export interface SeedNotes {
  /** Factory of the seeded chain. Another chain starts anew. */
  factory: Address
  /** Port of the file server: published files name it. */
  filesPort: number
  /** DIDs by key of the sample. */
  assets: Record<string, string>
  /** Ids of finished steps. */
  done: string[]
}

/** Reads the notes. Returns empty ones if there are none for this chain. */
export function readNotes(file: string, factory: Address): SeedNotes {
  try {
    const notes = JSON.parse(readFileSync(file, 'utf8')) as SeedNotes
    if (notes.factory === factory) return notes
  } catch {
    // missing or incomplete
  }
  return { factory, filesPort: 0, assets: {}, done: [] }
}

/** Replaces the notes atomically. */
export function writeNotes(file: string, notes: SeedNotes): void {
  replaceFile(file, `${JSON.stringify(notes, null, 2)}\n`)
}
