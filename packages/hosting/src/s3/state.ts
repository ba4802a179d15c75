import { MIB } from '@tidegate/protocol/constants'
import { HOSTING_LIMITS } from '../limits.js'
import type { UploadedPart } from './bucket.js'

/** The state of a file in the bucket. It is in the state store, so that any instance can continue the upload. */
export interface S3State {
  /** Key of the file's object, also before it is complete. */
  file?: string | undefined
  /** Id of the multipart upload, if there is one. */
  upload?: string | undefined
  parts: UploadedPart[]
  /** Bytes per part, if the upload began without a length. */
  partSize?: number
  /** The next free part number. No two writers use the same number, even if one has lost its lock. */
  next: number
  /** Objects with the received pieces of the next part, in order. */
  tail: { key: string; bytes: number }[]
}

/** Parses the recorded state. */
export function stateOf(place: string | null): S3State {
  return place === null ? { parts: [], next: 1, tail: [] } : (JSON.parse(place) as S3State)
}

/** Returns the bytes per part of a file. Some services require parts of equal size, and some take a thousand parts at most. */
export function partSize(size: number): number {
  const { s3Part, s3PartMax, s3FewParts, s3Parts } = HOSTING_LIMITS.hosting
  const inParts = (count: number) => Math.max(s3Part, Math.ceil(size / count / MIB) * MIB)
  return Math.max(Math.min(inParts(s3FewParts), s3PartMax), inParts(s3Parts))
}

/** Bytes of the largest file within the limits. */
export const MAX_FILE = HOSTING_LIMITS.hosting.s3Parts * HOSTING_LIMITS.hosting.s3PartMax
