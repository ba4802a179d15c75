import { CarWriter } from '@ipld/car'
import { decode } from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'
import { DAG_PB } from './unixfs.js'

/** A range of bytes of a file, both ends inclusive. */
export interface Bytes {
  from: number
  to: number
}

/** A block of a CAR. */
export interface Block {
  cid: CID
  bytes: Uint8Array
}

/** Fetches a block by its CID. */
export type GetBlock = (cid: CID) => Promise<Uint8Array>

/** Parses `entity-bytes` as the specification of trustless gateways has it, for a file of `size` bytes. */
export function entityBytesOf(text: string | null, size: number): Bytes {
  const [from = '0', to = '*'] = (text ?? '0:*').split(':')
  const position = (value: string) => (value.startsWith('-') ? Math.max(0, size + Number(value)) : Number(value))
  return { from: position(from), to: to === '*' ? size - 1 : position(to) }
}

/** Returns the bytes of a file below a block, as the library reads it. */
export function sizeOf(cid: CID, bytes: Uint8Array): number {
  return cid.code === DAG_PB ? Number(UnixFS.unmarshal(decode(bytes).Data as Uint8Array).fileSize()) : bytes.length
}

/** Yields the blocks of a file that hold a range of it, depth first, each as often as it occurs. */
export async function* depthFirst(cid: CID, get: GetBlock, range: Bytes, offset = 0): AsyncGenerator<Block> {
  const bytes = await get(cid)
  if (cid.multihash.code !== 0) yield { cid, bytes }
  if (cid.code !== DAG_PB) return
  const { Data, Links } = decode(bytes)
  const file = UnixFS.unmarshal(Data as Uint8Array)
  let from = offset + (file.data?.length ?? 0)
  for (const [at, { Hash }] of Links.entries()) {
    const size = Number(file.blockSizes[at])
    if (from <= range.to && from + size > range.from) yield* depthFirst(Hash, get, range, from)
    from += size
  }
}

/** Yields a CAR of these blocks, written by the library. */
export async function* carOf(root: CID, blocks: AsyncIterable<Block> | Iterable<Block>): AsyncGenerator<Uint8Array> {
  const { writer, out } = CarWriter.create([root])
  const writing = (async () => {
    for await (const block of blocks) await writer.put(block)
    await writer.close()
  })()
  writing.catch(() => undefined)
  yield* out
  await writing
}
