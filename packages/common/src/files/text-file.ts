import { readFileSync } from 'node:fs'

/**
 * Reads a text file in UTF-8, or in UTF-16 with a byte order mark, as Windows programs write it. Removes the mark.
 * Throws the errors of the file system.
 */
export function readTextFile(path: string): string {
  const bytes = readFileSync(path)
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}
