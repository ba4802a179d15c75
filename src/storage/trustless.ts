import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { CID } from 'multiformats/cid'
import { BOUNDS } from '../bounds.js'
import { StorageError } from '../errors.js'
import { discard, type Egress } from './egress.js'
import type { Asking } from './storage.js'

const RAW_BLOCK = 'application/vnd.ipld.raw'

/** Multihash codes of the hashes that can be checked, by the name that node knows them under. */
const HASHES = new Map([
  [0x12, 'sha256'],
  [0x13, 'sha512'],
])
const IDENTITY = 0

/**
 * The blocks of trustless gateways, each checked against its CID before it is used, so that a gateway can withhold a
 * file but never change it. A block that one gateway does not give, or gives wrong, is asked of the next.
 */
export class TrustlessBlocks {
  /** Bytes that may still be fetched. A tree may claim what it likes: it costs no more than what it gives is worth. */
  private left: number = BOUNDS.ipfs.overhead

  constructor(
    private readonly egress: Egress,
    private readonly gateways: readonly string[],
    /** Its signal ends the reading: the tree is walked ahead of the reader, who may be gone. */
    private readonly asking: Asking,
  ) {}

  /** Allows so many bytes more to be fetched. */
  allow(bytes: number): void {
    this.left += bytes
  }

  /** A block of at most `max` bytes. Throws StorageError. */
  async get(cid: CID, max: number = BOUNDS.ipfs.block): Promise<Uint8Array> {
    if (cid.multihash.code === IDENTITY) {
      // a block may hold a hundred thousand of these: nothing else lets others have their turn
      await setImmediate()
      if (this.asking.signal.aborted) throw refused('is no longer wanted')
      return cid.multihash.digest
    }
    if (!HASHES.has(cid.multihash.code)) throw refused('is addressed by a hash that is not supported')
    let failure: StorageError = refused('cannot be reached')
    for (const gateway of this.gateways) {
      if (this.asking.signal.aborted) throw refused('is no longer wanted')
      try {
        const bytes = await this.fetch(`${gateway}/ipfs/${cid}?format=raw`, max)
        if (isOf(cid, bytes)) return bytes
        failure = refused('was given with wrong content')
      } catch (error) {
        if (!(error instanceof StorageError) || error.code === 'STORAGE_BUSY' || this.left < 0) throw error
        failure = error
      }
    }
    throw failure
  }

  private async fetch(url: string, max: number): Promise<Uint8Array> {
    this.spend(BOUNDS.ipfs.leastBlock)
    const { status, body } = await this.egress.request({
      url,
      method: 'GET',
      headers: { accept: RAW_BLOCK },
      ...this.asking,
    })
    try {
      if (status !== 200) throw refused('was not handed out')
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length
        this.spend(Math.min(chunk.length, Math.max(0, size - BOUNDS.ipfs.leastBlock)))
        if (size > max) throw refused('has a block that is too large')
        chunks.push(chunk)
      }
      return Buffer.concat(chunks)
    } catch (error) {
      throw error instanceof StorageError ? error : refused('broke off')
    } finally {
      discard(body)
    }
  }

  private spend(bytes: number): void {
    this.left -= bytes
    if (this.left < 0) throw refused('takes too much beside its content')
  }
}

function isOf(cid: CID, bytes: Uint8Array): boolean {
  const hash = HASHES.get(cid.multihash.code) as string
  return Buffer.compare(createHash(hash).update(bytes).digest(), cid.multihash.digest) === 0
}

function refused(how: string): StorageError {
  return new StorageError('STORAGE_REFUSED', `The file ${how}.`)
}
