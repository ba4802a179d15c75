import { createHash } from 'node:crypto'
import { HostingError, ValidationError } from '@tidegate/protocol'

/** The algorithms of `Upload-Checksum` with the bytes of their values. tus requires sha1. */
const LENGTHS: Record<string, number> = { sha1: 20, sha256: 32 }

export const CHECKSUM_ALGORITHMS = Object.keys(LENGTHS)

/** The checksum that a client sends with one part of an upload. */
export class PartChecksum {
  private readonly hash

  private constructor(
    algorithm: string,
    private readonly expected: Buffer,
  ) {
    this.hash = createHash(algorithm)
  }

  /** Parses an `Upload-Checksum` header: algorithm, space, base64. Throws ValidationError. */
  static parse(header: string): PartChecksum {
    const [algorithm = '', value = '', ...rest] = header.trim().split(' ')
    const expected = Buffer.from(value, 'base64')
    if (rest.length > 0 || LENGTHS[algorithm] !== expected.length)
      throw ValidationError.of(
        'Upload-Checksum',
        `The Upload-Checksum header must be one of ${CHECKSUM_ALGORITHMS.join(', ')}, a space, and the checksum as base64.`,
      )
    return new PartChecksum(algorithm, expected)
  }

  update(chunk: Uint8Array): void {
    this.hash.update(chunk)
  }

  /** Throws HostingError if the checksum of the part differs. */
  assertMatches(): void {
    if (!this.hash.digest().equals(this.expected))
      throw new HostingError('UPLOAD_CHECKSUM', 'The part does not have the checksum that was sent with it.')
  }
}
