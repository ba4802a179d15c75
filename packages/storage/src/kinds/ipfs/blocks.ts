import { createHash, webcrypto } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { StorageError } from '@tidegate/protocol'
import { CID } from 'multiformats/cid'
import type { MultihashDigest } from 'multiformats/hashes/interface'
import { STORAGE_LIMITS } from '../../limits.js'

/** A link of a file's tree. Its CID stays in binary form until it is needed: there may be tens of thousands of links. */
export class Link {
  private decoded: CID | undefined

  constructor(
    private readonly binary: Uint8Array,
    /** Position of its bytes in the file. */
    readonly offset: number,
    /** Bytes of the file below it, as its parent claims; undefined for the root. */
    readonly size?: number,
  ) {}

  /** Throws StorageError if the link holds no CID. */
  get cid(): CID {
    try {
      this.decoded ??= CID.decode(this.binary)
    } catch {
      throw broken()
    }
    return this.decoded
  }

  /** The key of its block in maps; undefined if the link holds no CID. */
  get key(): string | undefined {
    try {
      return keyOf(cidParts(this.binary).multihash)
    } catch {
      return undefined
    }
  }

  /** The most bytes that its block can have: a raw block consists of bytes of the file only. */
  get longest(): number {
    if (this.cid.code !== RAW || this.size === undefined) return STORAGE_LIMITS.ipfs.block
    return Math.min(this.size, STORAGE_LIMITS.ipfs.block)
  }
}

/** A block that may still be under verification. */
export interface Block {
  /** Its bytes, as they arrived. Nothing of them may leave this process before `verified` has resolved. */
  pieces: readonly Uint8Array[]
  /** Bytes in all. */
  length: number
  /** Resolves when the bytes match the CID. Rejects with StorageError or GatewayFailure if they do not. */
  verified: Promise<void>
}

/** Returns a verified block of some bytes. */
export function verifiedBlock(bytes: Uint8Array): Block {
  return { pieces: [bytes], length: bytes.length, verified: Promise.resolve() }
}

/** The bytes of a block in one piece. */
export function bytesOf({ pieces, length }: Pick<Block, 'pieces' | 'length'>): Uint8Array {
  const [first] = pieces
  return pieces.length === 1 && first ? first : Buffer.concat(pieces, length)
}

/** Codecs of blocks that hold only bytes of a file, and of blocks with links. */
export const RAW = 0x55
export const DAG_PB = 0x70
/** Hash code of CIDs that hold the block itself. */
export const IDENTITY = 0

/** Multihash codes of the supported hashes, with their names in Node. */
const HASHES = new Map([
  [0x12, { node: 'sha256', web: 'SHA-256' }],
  [0x13, { node: 'sha512', web: 'SHA-512' }],
])

/** The codec of a binary CID, and the position of its multihash, which identifies its block whatever its version. */
export interface CidParts {
  codec: number
  multihash: Uint8Array
  /** Bytes of the CID. */
  length: number
}

/** Reads the CID that bytes begin with. Throws an Error if they do not. */
export function cidParts(bytes: Uint8Array): CidParts {
  const { codec, multihashSize, size } = CID.inspectBytes(bytes)
  if (size > bytes.length) throw new RangeError('a CID that is cut off')
  return { codec, multihash: bytes.subarray(size - multihashSize, size), length: size }
}

/** Returns the block within an identity CID; undefined for any other. Throws StorageError for an unsupported hash. */
export async function inlineBlock({ multihash }: CID): Promise<Block | undefined> {
  if (HASHES.has(multihash.code)) return undefined
  if (multihash.code !== IDENTITY)
    throw new StorageError('STORAGE_REFUSED', 'The file is addressed by a hash that is not supported.')
  // a block may hold a hundred thousand of these: without this they would starve the event loop
  await setImmediate()
  return verifiedBlock(multihash.digest)
}

/** Hashes a block while it arrives. Undefined for a hash that is not supported. */
export function hasherFor({ code, digest }: MultihashDigest): BlockHasher | undefined {
  const name = HASHES.get(code)?.node
  if (name === undefined) return undefined
  const hash = createHash(name)
  return { update: (bytes) => void hash.update(bytes), matches: () => hash.digest().equals(digest) }
}

export interface BlockHasher {
  update(bytes: Uint8Array): void
  /** Whether the bytes so far are the whole block. Call it once. */
  matches(): boolean
}

/** Whether bytes match a multihash of a supported kind. Long ones are hashed in a thread. */
export async function matches({ code, digest }: MultihashDigest, bytes: Uint8Array): Promise<boolean> {
  const hash = HASHES.get(code)
  if (!hash) return false
  const computed =
    bytes.length < STORAGE_LIMITS.ipfs.hashedInPlace
      ? createHash(hash.node).update(bytes).digest()
      : Buffer.from(await webcrypto.subtle.digest(hash.web, bytes))
  return computed.equals(digest)
}

/** The key of a block in maps: its multihash, which is the same in all versions of its CID. */
export function keyOf(multihash: Uint8Array): string {
  return Buffer.from(multihash.buffer, multihash.byteOffset, multihash.byteLength).toString('latin1')
}

/** Returns the error for a file that no gateway could hand out. */
export function broken(): StorageError {
  return new StorageError('STORAGE_REFUSED', 'The file cannot be read.')
}
