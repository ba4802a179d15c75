import { readFileSync } from 'node:fs'

/**
 * Reads a text file that a person or another program has written: UTF-8, or UTF-16 with a byte order mark, as editors and
 * shells of Windows write it. The mark is left out. Throws the errors of the file system.
 */
export function readTextFile(path: string): string {
  const bytes = readFileSync(path)
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}
