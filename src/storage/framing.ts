import type { OpenedFile } from './storage.js'

/** What a Content-Range says of a part of a file. */
export interface Part {
  first: number
  last: number
  /** Bytes of the whole file; undefined where the storage does not know. */
  total: number | undefined
}

/** Reads the Content-Range of a single part; undefined for anything else. */
export function partOf(contentRange: string | undefined): Part | undefined {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(?:(\d{1,15})|\*)$/.exec(contentRange ?? '')
  if (!match) return undefined
  const part = { first: Number(match[1]), last: Number(match[2]), total: match[3] ? Number(match[3]) : undefined }
  return part.first <= part.last && part.last < (part.total ?? Number.POSITIVE_INFINITY) ? part : undefined
}

/**
 * Whether an answer is one to the question: a part or "no such part" only where a part was asked for, "not modified"
 * only under a condition, and a part as long as its range says. A storage that answers otherwise would have a
 * consumer keep a copy, or take a part for the file.
 */
export function answersTo(asked: Record<string, string>, status: number, headers: OpenedFile['headers']): boolean {
  if (status === 200) return true
  if (status === 304) return asked['if-none-match'] !== undefined || asked['if-modified-since'] !== undefined
  if (asked.range === undefined) return false
  if (status === 416) return true
  // several ranges come as parts of a message, each with a range of its own
  if (headers['content-type']?.startsWith('multipart/byteranges')) return asked.range.includes(',')
  const part = partOf(headers['content-range'])
  const length = headers['content-length']
  return part !== undefined && (length === undefined || Number(length) === part.last - part.first + 1)
}

/** Whether two answers are parts of one and the same file: the rest of it has the validator and the size of its beginning. */
export function sameFile(begun: OpenedFile['headers'], rest: OpenedFile['headers']): boolean {
  const { etag, 'last-modified': modified } = begun
  // of the two only the entity tag has to be repeated in an answer to If-Range (RFC 9110, 15.3.7)
  if (rest.etag !== etag) return false
  if (rest['last-modified'] !== undefined && rest['last-modified'] !== modified) return false
  return total(begun) === total(rest)
}

function total(headers: OpenedFile['headers']): number | undefined {
  const range = headers['content-range']
  return range === undefined ? Number(headers['content-length']) : partOf(range)?.total
}
