import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createProxy, type Socket } from 'node:net'
import type { CID } from 'multiformats/cid'
import { cidOf, RAW, tree, varint } from '../../test/helpers/unixfs.js'

// A file of so many MiB, in leaves of so many KiB: at `/plain` as it is, and as a CAR from a trustless gateway; both
// through a proxy that delays each direction by half of so many milliseconds.

const [mebibytes = 64, kibibytes = 256, delay = 50] = process.argv.slice(2).map(Number)
const LEAF = kibibytes * 1024
const LINKS = 174
/** Bytes that the proxy may hold for one connection: more than what is in flight at full speed. */
const WINDOW = 256 << 20

const filler = Buffer.alloc(LEAF - 8, 'tide')
const count = (mebibytes * 1_048_576) / LEAF
const numbers = Array.from({ length: count }, (_, at) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(at))
  return bytes
})

/** The pieces of the CAR, apart from the bytes that all leaves share. */
const pieces: Buffer[] = []
const section = (cid: CID, length: number) => Buffer.concat([varint(cid.bytes.length + length), cid.bytes])
const inner: { cid: CID; block: Buffer; leaves: Buffer[]; size: number }[] = []
for (let from = 0; from < count; from += LINKS) {
  const part = numbers.slice(from, from + LINKS)
  const cids = part.map((number) => leafCid(number))
  const block = tree(cids.map((cid) => [cid, LEAF] as const))
  const leaves = part.map((number, at) => Buffer.concat([section(cids[at] as CID, LEAF), number]))
  inner.push({ cid: cidOf(block), block, leaves, size: part.length * LEAF })
}
const root = tree(inner.map(({ cid, size }) => [cid, size] as const))
const rootCid = cidOf(root)
pieces.push(Buffer.concat([varint(4), Buffer.alloc(4)]), Buffer.concat([section(rootCid, root.length), root]))
for (const { cid, block, leaves } of inner) pieces.push(Buffer.concat([section(cid, block.length), block]), ...leaves)
const firstLeaf = new Set(inner.flatMap(({ leaves }) => leaves))

function leafCid(number: Buffer): CID {
  const digest = createHash('sha256').update(number).update(filler).digest()
  const cid = cidOf(Buffer.alloc(0), RAW)
  const bytes = Buffer.from(cid.bytes)
  digest.copy(bytes, bytes.length - 32)
  return (cid.constructor as typeof CID).decode(bytes)
}

function send(response: ServerResponse, heads: readonly Buffer[], isLeaf: (head: Buffer) => boolean): void {
  let at = 0
  const more = () => {
    while (at < heads.length) {
      const head = heads[at++] as Buffer
      const flows = response.write(head)
      if (!(isLeaf(head) ? response.write(filler) : flows)) return void response.once('drain', more)
    }
    response.end()
  }
  more()
}

const server = createServer(({ url = '' }, response) => {
  if (url.startsWith('/plain')) {
    response.writeHead(200, { 'content-length': count * LEAF })
    return send(response, numbers, () => true)
  }
  response.writeHead(200, { 'content-type': 'application/vnd.ipld.car; version=1; order=dfs; dups=y' })
  send(response, pieces, (head) => firstLeaf.has(head))
})

/** Passes on what arrives after half the delay. */
function delayed(from: Socket, to: Socket): void {
  const queue: { at: number; chunk: Buffer | undefined }[] = []
  let held = 0
  const pass = () => {
    const now = performance.now()
    for (let first = queue[0]; first && first.at <= now; first = queue[0]) {
      queue.shift()
      if (!first.chunk) return void to.end()
      held -= first.chunk.length
      if (from.isPaused() && held < WINDOW / 2) from.resume()
      if (!to.write(first.chunk)) return void to.once('drain', pass)
    }
    if (queue[0]) setTimeout(pass, Math.max(0, queue[0].at - now))
  }
  const put = (chunk: Buffer | undefined) => {
    queue.push({ at: performance.now() + delay / 2, chunk })
    held += chunk?.length ?? 0
    if (held > WINDOW) from.pause()
    if (queue.length === 1) setTimeout(pass, delay / 2)
  }
  from.on('data', put).on('end', () => put(undefined))
  from.on('error', () => to.destroy()).on('close', () => to.writable || to.destroy())
}

server.listen(0, '127.0.0.1', () => {
  const proxy = createProxy((near) => {
    const far = connect((server.address() as AddressInfo).port, '127.0.0.1')
    delayed(near, far)
    delayed(far, near)
  })
  proxy.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, cid: rootCid.toString() })
  })
})
