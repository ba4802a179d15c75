import { createHash, webcrypto } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { StorageError } from '@tidegate/protocol'
import { CID } from 'multiformats/cid'
import type { MultihashDigest } from 'multiformats/hashes/interface'
import { STORAGE_LIMITS } from '../../limits.js'

/** A link of a file's tree. Parses its CID only on demand, since there may be tens of thousands of links. */
export class Link {
  private decoded: CID | undefined

  constructor(
    private readonly binary: Uint8Array,
    /** Offset of its bytes in the file. */
    readonly offset: number,
    /** Bytes of the file below the link, as its parent claims; undefined for the root. */
    readonly size?: number,
  ) {}

  /** Throws StorageError if the link has no CID. */
  get cid(): CID {
    try {
      this.decoded ??= CID.decode(this.binary)
    } catch {
      throw broken()
    }
    return this.decoded
  }

  /** The key of its block in maps; undefined if the link has no CID. */
  get key(): string | undefined {
    try {
      return keyOf(cidParts(this.binary).multihash)
    } catch {
      return undefined
    }
  }

  /** Maximum bytes of its block. A raw block contains only bytes of the file. */
  get longest(): number {
    if (this.cid.code !== RAW || this.size === undefined) return STORAGE_LIMITS.ipfs.block
    return Math.min(this.size, STORAGE_LIMITS.ipfs.block)
  }
}

/** A block whose verification may be running. */
export interface Block {
  /** Its bytes. They must not leave this process before `verified` has resolved. */
  pieces: readonly Uint8Array[]
  /** Total bytes. */
  length: number
  /** Resolves when the bytes match the CID. Rejects with StorageError or GatewayFailure if they do not. */
  verified: Promise<void>
}

/** Returns a verified block with these bytes. */
export function verifiedBlock(bytes: Uint8Array): Block {
  return { pieces: [bytes], length: bytes.length, verified: Promise.resolve() }
}

/** Returns the bytes of a block in one piece. */
export function bytesOf({ pieces, length }: Pick<Block, 'pieces' | 'length'>): Uint8Array {
  const [first] = pieces
  return pieces.length === 1 && first ? first : Buffer.concat(pieces, length)
}

/** Codec of blocks with bytes only. */
export const RAW = 0x55
/** Codec of blocks with links. */
export const DAG_PB = 0x70
/** Hash code of CIDs that contain the block itself. */
export const IDENTITY = 0

/** Multihash codes of the supported hashes, with their names in Node. */
const HASHES = new Map([
  [0x12, { node: 'sha256', web: 'SHA-256' }],
  [0x13, { node: 'sha512', web: 'SHA-512' }],
])

/** Codec and multihash of a binary CID. The multihash identifies a block in all CID versions. */
export interface CidParts {
  codec: number
  multihash: Uint8Array
  /** Bytes of the CID. */
  length: number
}

/** Parses the CID at the start of some bytes. Throws an Error if there is none. */
export function cidParts(bytes: Uint8Array): CidParts {
  const { codec, multihashSize, size } = CID.inspectBytes(bytes)
  if (size > bytes.length) throw new RangeError('a CID that is cut off')
  return { codec, multihash: bytes.subarray(size - multihashSize, size), length: size }
}

/** Returns the block inside an identity CID; undefined for other CIDs. Throws StorageError for an unsupported hash. */
export async function inlineBlock({ multihash }: CID): Promise<Block | undefined> {
  if (HASHES.has(multihash.code)) return undefined
  if (multihash.code !== IDENTITY)
    throw new StorageError('STORAGE_REFUSED', 'The file is addressed by a hash that is not supported.')
  // yields, since a block may have a hundred thousand identity CIDs
  await setImmediate()
  return verifiedBlock(multihash.digest)
}

/** Returns a hasher for a block that arrives in pieces; undefined for an unsupported hash. */
export function hasherFor({ code, digest }: MultihashDigest): BlockHasher | undefined {
  const name = HASHES.get(code)?.node
  if (name === undefined) return undefined
  const hash = createHash(name)
  return { update: (bytes) => void hash.update(bytes), matches: () => hash.digest().equals(digest) }
}

export interface BlockHasher {
  update(bytes: Uint8Array): void
  /** Whether the bytes so far match. Call it once. */
  matches(): boolean
}

/** Whether bytes match a multihash of a supported kind. Hashes long blocks in a thread. */
export async function matches({ code, digest }: MultihashDigest, bytes: Uint8Array): Promise<boolean> {
  const hash = HASHES.get(code)
  if (!hash) return false
  const computed =
    bytes.length < STORAGE_LIMITS.ipfs.hashedInPlace
      ? createHash(hash.node).update(bytes).digest()
      : Buffer.from(await webcrypto.subtle.digest(hash.web, bytes))
  return computed.equals(digest)
}

/** Returns the key of a block in maps: its multihash. */
export function keyOf(multihash: Uint8Array): string {
  return Buffer.from(multihash.buffer, multihash.byteOffset, multihash.byteLength).toString('latin1')
}

/** Returns the error for a broken file. */
export function broken(): StorageError {
  return new StorageError('STORAGE_REFUSED', 'The file cannot be read.')
}
