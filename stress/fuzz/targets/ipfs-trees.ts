import { Readable } from 'node:stream'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { StorageError } from '../../../packages/protocol/src/errors.js'
import { ContentFile } from '../../../packages/storage/src/kinds/ipfs/content.js'
import { cidOf, DAG_PB, field, RAW, varint } from '../../../test/helpers/unixfs.js'
import { fakeEgress } from '../lib/fake-egress.js'
import { mutatedBytes } from '../lib/mutate.js'
import { holds, target } from '../lib/target.js'

/** A generated block: its own bytes, and links, each with a declared size. */
interface Node {
  own: Uint8Array
  /** UnixFS type: 2 is a file, 0 raw, 1 a directory. */
  kind: number
  children: { node: Node; sizeError: number }[]
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
      fc.array(fc.record({ node: tie('node'), sizeError: fc.constantFrom(0, 0, 0, 0, 1, -1, 2 ** 40, 2 ** 53) }), {
        maxLength: 4,
      }),
    ),
    missing: fc.constantFrom(false, false, false, false, false, true),
    identity: fc.constantFrom(false, false, false, true),
  }) as fc.Arbitrary<Node>,
}))

/** IPFS files whose blocks match their CIDs, but have arbitrary content. */
export default target({
  replayVerbatim: true,
  inputs: fc.record({
    root: node,
    /** A change to one block, before its CID is computed. */
    corruption: fc.option(
      fc.record({ at: fc.nat({ max: 12 }), to: mutatedBytes(fc.constant(Buffer.alloc(0) as Uint8Array)) }),
    ),
    flips: fc.array(fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 80 }), fc.nat({ max: 255 })), { maxLength: 3 }),
    start: fc.nat({ max: 60 }),
    /** Changes to a CAR of all blocks; null: the gateway makes none. */
    car: fc.option(
      fc.record({
        header: mutatedBytes(fc.constant(Buffer.from('empty header') as Uint8Array)),
        edit: mutatedBytes(fc.constant(Buffer.from([9]) as Uint8Array)),
        at: fc.nat({ max: 2000 }),
        reversed: fc.boolean(),
        repeats: fc.boolean(),
      }),
    ),
  }),
  async read({ root, corruption, flips, start, car }) {
    const blocks = new Map<string, Buffer>()
    let count = 0
    const put = (one: Node): { cid: CID; size: number } => {
      const children = one.children.map(({ node: child, sizeError }) => {
        const made = put(child)
        return { cid: made.cid, size: Math.max(0, made.size + sizeError) }
      })
      let bytes = one.children.length === 0 && one.kind === 0 ? Buffer.from(one.own) : treeOf(one, children)
      const codec = one.children.length === 0 && one.kind === 0 ? RAW : DAG_PB
      const at = count++
      for (const [block, place, value] of flips)
        if (block === at && bytes.length > 0) bytes[place % bytes.length] = value
      if (corruption?.at === at) bytes = Buffer.concat([bytes, corruption.to])
      const cid =
        one.identity && bytes.length < 100 ? CID.createV1(codec, Digest.create(0, bytes)) : cidOf(bytes, codec)
      if (!one.missing) blocks.set(String(cid), bytes)
      return { cid, size: children.reduce((sum, { size }) => sum + size, one.own.length) }
    }
    const { cid } = put(root)
    const { egress } = fakeEgress(({ url }) => {
      if (url.includes('format=car') && car) {
        const sections = [...blocks].map(([text, bytes]) => sized(Buffer.concat([CID.parse(text).bytes, bytes])))
        // parents are put after their children, so this order is one that a gateway could send
        const sent = Buffer.concat([sized(car.header), ...(car.reversed ? sections : sections.reverse())])
        const body = Readable.from([Buffer.concat([sent.subarray(0, car.at), car.edit]), sent.subarray(car.at)])
        const type = `application/vnd.ipld.car; dups=${car.repeats ? 'y' : 'n'}`
        return { status: 200, headers: { 'content-type': type }, body, url: new URL(url) }
      }
      const bytes = blocks.get(/\/ipfs\/(\w+)/.exec(url)?.[1] ?? '')
      return { status: bytes ? 200 : 404, headers: {}, body: Readable.from(bytes ? [bytes] : []), url: new URL(url) }
    })
    const asking = { signal: new AbortController().signal, budget: 'paid' } as const
    const gateways = { egress, urls: ['https://gateway.example'], unable: new Map(), cache: undefined }
    const file = await ContentFile.open(cid, gateways, asking)
    holds(Number.isSafeInteger(file.size) && file.size >= 0, 'a size is a safe integer')
    const end = Math.min(file.size, 100_000)
    let length = 0
    for await (const chunk of file.bytes(Math.min(start, end), end)) length += chunk.length
    holds(length === end - Math.min(start, end), 'a file has the size that its root declares')
  },
  isRejection: (error) => error instanceof StorageError,
})

/** Bytes after their length. */
function sized(bytes: Uint8Array): Buffer {
  return Buffer.concat([varint(bytes.length), bytes])
}

function treeOf({ own, kind }: Node, links: { cid: CID; size: number }[]): Buffer {
  const data = Buffer.concat([field(1, kind), field(2, own), ...links.map(({ size }) => field(4, size))])
  const linked = links.map(({ cid }) => field(2, Buffer.concat([field(1, cid.bytes), field(2, Buffer.alloc(0))])))
  return Buffer.concat([...linked, field(1, data)])
}
