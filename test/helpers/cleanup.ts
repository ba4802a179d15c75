import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const endings: (() => unknown)[] = []

/** Runs a function after the last test of the file, the latest one first. Returns a function that runs it only once. */
export function atEnd<T>(end: () => Promise<T>): () => Promise<T> {
  let ended: Promise<T> | undefined
  const endOnce = () => {
    ended ??= end()
    return ended
  }
  endings.push(endOnce)
  return endOnce
}

/** Runs all functions of `atEnd`. */
export async function endAll(): Promise<void> {
  for (let end = endings.pop(); end; end = endings.pop()) await end()
}

/** An empty folder, removed after the last test of the file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  endings.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
