import { setMaxListeners } from 'node:events'
import { Readable } from 'node:stream'
import { CID } from 'multiformats/cid'
import { z } from 'zod'
import { isNamed } from './entity-tags.js'
import { isAnswer } from './http-storage.js'
import { byteRange } from './ranges.js'
import type { Asking, OpenedFile, OpenRequest, Storage, StorageTools } from './storage.js'
import { TrustlessBlocks } from './trustless.js'
import { UnixFile } from './unix-file.js'

/** A CID and nothing else: no path, no query. */
const cid = z.string().refine((text) => parsedCid(text) !== undefined, 'must be a CID')

const ipfsFile = z.object({ type: z.literal('ipfs'), hash: cid })
const filecoinFile = z.object({ type: z.literal('filecoin'), cid })

export type IpfsFile = z.infer<typeof ipfsFile>
export type FilecoinFile = z.infer<typeof filecoinFile>

/** Files on IPFS, from trustless gateways, every byte checked against the CID. */
export function ipfsStorage(tools: StorageTools): Storage<IpfsFile> {
  const files = contentAddressed(tools, tools.gateways.ipfs)
  return {
    type: 'ipfs',
    schema: ipfsFile,
    describesByReading: true,
    describe: ({ hash }, asking) => files.describe(hash, asking),
    open: ({ hash }, request) => files.open(hash, request),
  }
}

/** Files on Filecoin, from trustless gateways that serve its retrievals, every byte checked against the CID. */
export function filecoinStorage(tools: StorageTools): Storage<FilecoinFile> {
  const files = contentAddressed(tools, tools.gateways.filecoin)
  return {
    type: 'filecoin',
    schema: filecoinFile,
    describesByReading: true,
    describe: ({ cid: text }, asking) => files.describe(text, asking),
    open: ({ cid: text }, request) => files.open(text, request),
  }
}

function contentAddressed({ egress }: StorageTools, gateways: readonly string[]) {
  async function entry(text: string, asking: Asking) {
    return UnixFile.open(parsedCid(text) as CID, new TrustlessBlocks(egress, gateways, asking))
  }

  return {
    async describe(text: string, asking: Asking) {
      try {
        return { valid: true, contentLength: (await entry(text, asking)).size }
      } catch (error) {
        if (isAnswer(error)) return { valid: false }
        throw error
      }
    },

    async open(text: string, { method, headers, signal: asked, ...asking }: OpenRequest): Promise<OpenedFile> {
      const etag = `"${text}"` // the content cannot change under its CID
      if (isNamed(headers['if-none-match'], etag)) return { status: 304, headers: { etag }, body: Readable.from([]) }
      const stop = new AbortController()
      const signal = AbortSignal.any([asked, stop.signal])
      setMaxListeners(0, signal) // each block that is under way listens
      const file = await entry(text, { ...asking, signal })
      const { size } = file
      const valid = headers['if-range'] === undefined || headers['if-range'] === etag
      const range = valid ? byteRange(headers.range, size) : undefined
      if (range === 'unsatisfiable')
        return { status: 416, headers: { etag, 'content-range': `bytes */${size}` }, body: Readable.from([]) }
      const { start, end } = range ?? { start: 0, end: size - 1 }
      const length = end - start + 1
      const described: OpenedFile['headers'] = { etag, 'accept-ranges': 'bytes', 'content-length': String(length) }
      if (range) described['content-range'] = `bytes ${start}-${end}/${size}`
      const body = method === 'HEAD' ? Readable.from([]) : await begun(file.bytes(start, end + 1))
      body.once('close', () => stop.abort())
      return { status: range ? 206 : 200, headers: described, body }
    },
  }
}

/** A body whose first piece is there: what is broken from the beginning is refused, and not begun. */
async function begun(pieces: AsyncGenerator<Uint8Array>): Promise<Readable> {
  const first = await pieces.next()
  async function* all(): AsyncGenerator<Uint8Array> {
    if (first.done) return
    yield first.value
    yield* pieces
  }
  return Readable.from(all())
}

function parsedCid(text: string): CID | undefined {
  if (!/^[A-Za-z0-9]{1,128}$/.test(text)) return undefined
  try {
    return CID.parse(text)
  } catch {
    return undefined
  }
}
