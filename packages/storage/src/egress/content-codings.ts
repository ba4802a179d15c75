import type { Readable } from 'node:stream'
import zlib, { type ZlibOptions } from 'node:zlib'
import { StorageError } from '@tidegate/protocol'
import { STORAGE_LIMITS } from '../limits.js'
import type { Budget } from '../storage.js'
import { busy } from '../storage-failures.js'
import { DecodedBody, type Decoder } from './decoded-body.js'
import type { UpstreamResponse } from './exchange.js'

/** A content coding (RFC 9110, 8.4). */
interface Coding {
  /** Upper bound of the memory of one decoder, in bytes. */
  memory: number
  create(head: Buffer): Decoder
}

const { chunk: chunkSize, zstdWindowLog } = STORAGE_LIMITS.decoding
const KIB = 1024

const gzip: Coding = { memory: 128 * KIB, create: () => zlib.createGunzip({ chunkSize }) }

const CODINGS: Record<string, Coding> = {
  gzip,
  'x-gzip': gzip,
  deflate: {
    memory: 128 * KIB,
    // the standard means zlib; some servers send the bare stream
    create: (head) => (hasZlibHeader(head) ? zlib.createInflate({ chunkSize }) : zlib.createInflateRaw({ chunkSize })),
  },
  br: { memory: 17 * KIB * KIB, create: () => zlib.createBrotliDecompress({ chunkSize }) },
  ...zstd(),
}

/** Zstandard, in releases of Node that have it, with the largest window that RFC 9659 allows over HTTP. */
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

/** Returns the content codings of a response, in the order in which they were applied; empty for an identity body. */
export function contentCodings(headers: UpstreamResponse['headers']): string[] {
  const value = headers['content-encoding']
  if (value === undefined) return []
  const names = String(value)
    .split(',')
    .map((name) => name.trim().toLowerCase())
  return names.filter((name) => name !== '' && name !== 'identity')
}

/** Whether every coding can be decoded here. */
export function areDecodable(codings: string[]): boolean {
  return codings.length <= STORAGE_LIMITS.decoding.codings && codings.every((name) => Object.hasOwn(CODINGS, name))
}

/** Decodes bodies, within a limit on the memory that all decoders of a budget take. */
export class ContentDecoder {
  private readonly inUse: Record<Budget, number> = { paid: 0, anonymous: 0 }

  /** Memory that is reserved for the decoders of a budget, in bytes. */
  memoryInUse(budget: Budget): number {
    return this.inUse[budget]
  }

  /**
   * Returns a body without its content codings. Resolves with the first decoded bytes, so that a body that is broken
   * from the start is refused, not cut off. Throws StorageError: for an unknown coding, for a broken body, or busy.
   * Takes the body over in any case.
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

  /** Decodes the coding that was applied last first. Throws StorageError if the memory does not suffice. */
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

/** Headers of a coded response that hold for its decoded body: the entity tag holds weakly, since the bytes differ. */
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
