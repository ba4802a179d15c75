import { NAME_LIMITS } from '../limits.js'

const { pathBytes, pathSegment, pathDepth } = NAME_LIMITS.fileName

export const bytesOf = (text: string) => new TextEncoder().encode(text).length

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/**
 * Returns why a text is no public name of a file; undefined if it is one. A public name is a relative path with `/`, at most
 * `pathBytes` bytes of UTF-8. It continues a sentence that begins with the field.
 */
export function publicNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return 'must be a text that is not empty'
  if (/\p{Cs}/u.test(name)) return 'must be well-formed Unicode'
  if (CONTROL.test(name)) return 'must not contain control characters'
  if (name.includes('\\')) return 'must separate folders by /, not by \\'
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'must be a relative path'
  if (bytesOf(name) > pathBytes) return `must not be longer than ${pathBytes} bytes`
  const segments = name.split('/')
  if (segments.length > pathDepth) return `must not have more than ${pathDepth} parts`
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..') return 'must not contain empty parts, . or ..'
    if (bytesOf(segment) > pathSegment) return `must have parts of at most ${pathSegment} bytes`
  }
  return undefined
}

/** Returns a name as file systems compare it that ignore case and Unicode normal form. */
export const foldedName = (name: string) => name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC')

/** Returns the folders on the way to a path, outermost first. */
export function foldersOf(path: string): string[] {
  const folders: string[] = []
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at))
  return folders
}
