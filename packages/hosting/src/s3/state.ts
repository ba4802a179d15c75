import { HOSTING_LIMITS } from '../limits.js'
import type { UploadedPart } from './bucket.js'

/** What is known of a file in the bucket. The state store has it, so that any instance continues from there. */
export interface S3State {
  /** Key of the object that is the file; while it is not complete, the one that it will be. */
  file?: string | undefined
  /** Id of the multipart upload, while there is one. */
  upload?: string | undefined
  parts: UploadedPart[]
  /** The first part number that no writer was given. A writer that has lost its lock never has the number of another. */
  next: number
  /** Objects with what has arrived of the next part, in this order. */
  tail: { key: string; bytes: number }[]
}

/** Reads what is recorded. */
export function stateOf(place: string | null): S3State {
  return place === null ? { parts: [], next: 1, tail: [] } : (JSON.parse(place) as S3State)
}

/** Bytes of every part of a file but the last: all are alike, which some services require. */
export function partSize(size: number): number {
  const { s3Part, s3Parts } = HOSTING_LIMITS.hosting
  const mebibyte = 1_048_576
  return Math.max(s3Part, Math.ceil(size / s3Parts / mebibyte) * mebibyte)
}

/** Bytes of the largest file that the bounds allow. */
export const MAX_FILE = HOSTING_LIMITS.hosting.s3Parts * HOSTING_LIMITS.hosting.s3PartMax
