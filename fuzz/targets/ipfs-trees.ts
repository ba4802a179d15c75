import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { StorageError } from '../../src/errors.js'
import { TrustlessBlocks } from '../../src/storage/trustless.js'
import { UnixFile } from '../../src/storage/unix-file.js'
import { fakeEgress } from '../lib/fake-egress.js'
import { mutatedBytes } from '../lib/mutate.js'
import { holds, target } from '../lib/target.js'

const [DAG_PB, RAW] = [0x70, 0x55]

/** A block as a generator builds it: bytes of its own, and links with the size that it says of each. */
interface Node {
  own: Uint8Array
  /** Kind of the file: 2 is a file, 0 raw, 1 a folder. */
  kind: number
  children: { node: Node; lie: number }[]
  /** Bytes that are put in the place of the block's own. */
  instead?: Uint8Array
  missing: boolean
  identity: boolean
}

const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.record({
    own: fc.uint8Array({ maxLength: 20 }),
    kind: fc.constantFrom(2, 2, 2, 2, 0, 1, 3, 5, 9),
    children: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constant([]),
      fc.array(fc.record({ node: tie('node'), lie: fc.constantFrom(0, 0, 0, 0, 1, -1, 2 ** 40, 2 ** 53) }), {
        maxLength: 4,
      }),
    ),
    missing: fc.constantFrom(false, false, false, false, false, true),
    identity: fc.constantFrom(false, false, false, true),
  }) as fc.Arbitrary<Node>,
}))

/** Files of IPFS whose blocks are what their CIDs say, and say anything themselves. */
export default target({
  rigid: true,
  inputs: fc.record({
    root: node,
    /** A change to one block, before its CID is made. */
    odd: fc.option(
      fc.record({ at: fc.nat({ max: 12 }), to: mutatedBytes(fc.constant(Buffer.alloc(0) as Uint8Array)) }),
    ),
    flips: fc.array(fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 80 }), fc.nat({ max: 255 })), { maxLength: 3 }),
    start: fc.nat({ max: 60 }),
  }),
  async read({ root, odd, flips, start }) {
    const blocks = new Map<string, Buffer>()
    let count = 0
    const put = (one: Node): { cid: CID; size: number } => {
      const children = one.children.map(({ node: child, lie }) => {
        const made = put(child)
        return { cid: made.cid, size: Math.max(0, made.size + lie) }
      })
      let bytes = one.children.length === 0 && one.kind === 0 ? Buffer.from(one.own) : treeOf(one, children)
      const codec = one.children.length === 0 && one.kind === 0 ? RAW : DAG_PB
      const at = count++
      for (const [block, place, value] of flips)
        if (block === at && bytes.length > 0) bytes[place % bytes.length] = value
      if (odd?.at === at) bytes = Buffer.concat([bytes, odd.to])
      const cid =
        one.identity && bytes.length < 100 ? CID.createV1(codec, Digest.create(0, bytes)) : cidOf(bytes, codec)
      if (!one.missing) blocks.set(String(cid), bytes)
      return { cid, size: children.reduce((sum, { size }) => sum + size, one.own.length) }
    }
    const { cid } = put(root)
    const { egress } = fakeEgress(({ url }) => {
      const bytes = blocks.get(/\/ipfs\/(\w+)/.exec(url)?.[1] ?? '')
      return { status: bytes ? 200 : 404, headers: {}, body: Readable.from(bytes ? [bytes] : []), url: new URL(url) }
    })
    const asking = { signal: new AbortController().signal, budget: 'paid' } as const
    const file = await UnixFile.open(cid, new TrustlessBlocks(egress, ['https://gateway.example'], asking))
    holds(Number.isSafeInteger(file.size) && file.size >= 0, 'a size is one')
    const end = Math.min(file.size, 100_000)
    let length = 0
    for await (const chunk of file.bytes(Math.min(start, end), end)) length += chunk.length
    holds(length === end - Math.min(start, end), 'a file has the bytes that its root says')
  },
  refuses: (error) => error instanceof StorageError,
})

function cidOf(block: Uint8Array, codec: number): CID {
  return CID.createV1(codec, Digest.create(0x12, createHash('sha256').update(block).digest()))
}

function treeOf({ own, kind }: Node, links: { cid: CID; size: number }[]): Buffer {
  const data = Buffer.concat([field(1, kind), field(2, own), ...links.map(({ size }) => field(4, size))])
  const linked = links.map(({ cid }) => field(2, Buffer.concat([field(1, cid.bytes), field(2, Buffer.alloc(0))])))
  return Buffer.concat([...linked, field(1, data)])
}

/** A field of a protocol buffer: a number, or bytes. */
function field(number: number, value: number | Uint8Array): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)])
  return Buffer.concat([varint((number << 3) | 2), varint(value.length), value])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left])
    bytes.push((left % 128) | 128)
  }
}
