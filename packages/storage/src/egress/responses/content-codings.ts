import type { Readable } from 'node:stream'
import zlib, { type ZlibOptions } from 'node:zlib'
import { StorageError } from '@tidegate/protocol'
import { KIB } from '@tidegate/protocol/constants'
import { STORAGE_LIMITS } from '../../limits.js'
import type { Budget } from '../../storage.js'
import { busy } from '../../storage-failures.js'
import type { UpstreamResponse } from '../exchange.js'
import { DecodedBody, type Decoder } from './decoded-body.js'

/** A content coding (RFC 9110, 8.4). */
interface Coding {
  /** Upper bound of the memory of one decoder, in bytes. */
  memory: number
  create(head: Buffer): Decoder
}

const { chunk: chunkSize, zstdWindowLog } = STORAGE_LIMITS.decoding

const gzip: Coding = { memory: 128 * KIB, create: () => zlib.createGunzip({ chunkSize }) }

const CODINGS: Record<string, Coding> = {
  gzip,
  'x-gzip': gzip,
  deflate: {
    memory: 128 * KIB,
    // the standard requires zlib; some servers send a raw deflate stream
    create: (head) => (hasZlibHeader(head) ? zlib.createInflate({ chunkSize }) : zlib.createInflateRaw({ chunkSize })),
  },
  br: { memory: 17 * KIB * KIB, create: () => zlib.createBrotliDecompress({ chunkSize }) },
  ...zstd(),
}

/** Zstandard, if this release of Node has it, with the largest window for HTTP (RFC 9659). */
function zstd(): Record<string, Coding> {
  const { createZstdDecompress, constants } = zlib as unknown as {
    createZstdDecompress?: (options: ZlibOptions & { params: Record<number, number> }) => Decoder
    constants: { ZSTD_d_windowLogMax: number }
  }
  if (!createZstdDecompress) return {}
  const options = { chunkSize, params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } }
  return { zstd: { memory: 9 * KIB * KIB, create: () => createZstdDecompress(options) } }
}

function hasZlibHeader(head: Buffer): boolean {
  return head.length > 1 && ((head[0] as number) & 0x0f) === 8 && head.readUInt16BE(0) % 31 === 0
}

/** Returns the content codings of a response in the order of application; empty for an identity body. */
export function contentCodings(headers: UpstreamResponse['headers']): string[] {
  const value = headers['content-encoding']
  if (value === undefined) return []
  const names = String(value)
    .split(',')
    .map((name) => name.trim().toLowerCase())
  return names.filter((name) => name !== '' && name !== 'identity')
}

export function areDecodable(codings: string[]): boolean {
  return codings.length <= STORAGE_LIMITS.decoding.codings && codings.every((name) => Object.hasOwn(CODINGS, name))
}

/** Decodes bodies within a memory limit per budget. */
export class ContentDecoder {
  private readonly inUse: Record<Budget, number> = { paid: 0, anonymous: 0 }

  /** Bytes of memory reserved for the decoders of a budget. */
  memoryInUse(budget: Budget): number {
    return this.inUse[budget]
  }

  /**
   * Removes the content codings of a body. Resolves after the first decoded bytes, so that a broken body is refused instead of
   * cut off. Takes over the body in any case.
   * @throws StorageError if a coding is unknown, the body is broken, or the memory limit is reached
   */
  async decode({ headers, body }: UpstreamResponse, codings: string[], budget: Budget): Promise<Readable> {
    try {
      if (!areDecodable(codings)) throw unsupportedCoding()
      // some servers mark an empty file as coded
      if (headers['content-length'] === '0') return body
      const decoded = this.decoderFor(body, codings, budget)
      await decoded.started
      return decoded
    } catch (error) {
      body.on('error', () => undefined).destroy()
      throw error
    }
  }

  /** Decodes the last applied coding first. Throws StorageError at the memory limit. */
  private decoderFor(body: Readable, codings: string[], budget: Budget): DecodedBody {
    const applied = codings.map((name) => CODINGS[name] as Coding)
    const memory = applied.reduce((sum, coding) => sum + coding.memory, 0)
    if (this.inUse[budget] + memory > STORAGE_LIMITS.decoding.memory[budget]) throw busy()
    this.inUse[budget] += memory
    const release = () => {
      this.inUse[budget] -= memory
    }
    const [first, ...others] = applied as [Coding, ...Coding[]]
    const inner = others.reduceRight<Readable>((coded, { create }) => new DecodedBody(coded, create), body)
    return new DecodedBody(inner, first.create, release)
  }
}

function unsupportedCoding(): StorageError {
  return new StorageError(
    'STORAGE_REFUSED',
    'The storage of this file encodes it in a way that is not supported.',
    'unsupported',
  )
}

/** Returns the headers of a decoded response. The entity tag becomes weak, since the bytes differ. */
export function withoutCoding(headers: UpstreamResponse['headers']): UpstreamResponse['headers'] {
  const {
    'content-encoding': _coding,
    'content-length': _length,
    'content-range': _range,
    'accept-ranges': _ranges,
    etag,
    ...others
  } = headers
  return typeof etag === 'string' ? { ...others, etag: etag.startsWith('W/') ? etag : `W/${etag}` } : others
}
