import { Readable } from 'node:stream'
import { exporter } from 'ipfs-unixfs-exporter'
import { CID } from 'multiformats/cid'
import { z } from 'zod'
import { StorageError } from '../errors.js'
import { isNamed } from './entity-tags.js'
import { isAnswer } from './http-storage.js'
import { byteRange } from './ranges.js'
import type { Asking, OpenedFile, OpenRequest, Storage, StorageTools } from './storage.js'
import { TrustlessBlocks } from './trustless.js'

/** A CID and nothing else: no path, no query. */
const cid = z.string().refine((text) => parsedCid(text) !== undefined, 'must be a CID')

const ipfsFile = z.object({ type: z.literal('ipfs'), hash: cid })
const filecoinFile = z.object({ type: z.literal('filecoin'), cid })

export type IpfsFile = z.infer<typeof ipfsFile>
export type FilecoinFile = z.infer<typeof filecoinFile>

/** Blocks that are fetched ahead of the reader: the library would otherwise ask for all of a file at once. */
const READ_AHEAD = 8

/** Files on IPFS, from trustless gateways, every byte checked against the CID. */
export function ipfsStorage(tools: StorageTools): Storage<IpfsFile> {
  const files = contentAddressed(tools, tools.gateways.ipfs)
  return {
    type: 'ipfs',
    schema: ipfsFile,
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
    describe: ({ cid: text }, asking) => files.describe(text, asking),
    open: ({ cid: text }, request) => files.open(text, request),
  }
}

function contentAddressed({ egress }: StorageTools, gateways: readonly string[]) {
  async function entry(text: string, asking: Asking) {
    const blocks = new TrustlessBlocks(egress, gateways, asking)
    const found = await guarded(() => exporter(parsedCid(text) as CID, blocks as never))
    if (found.type !== 'file' && found.type !== 'raw' && found.type !== 'identity')
      throw new StorageError('STORAGE_REFUSED', 'The file is a directory, or no file at all.')
    const size = Number(found.type === 'file' ? found.unixfs.fileSize() : found.size)
    // a tree may say of itself what it likes
    if (!Number.isSafeInteger(size)) throw new StorageError('STORAGE_REFUSED', 'The file has no possible size.')
    return { size, content: found.content }
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

    async open(text: string, { method, headers, budget, signal: asked }: OpenRequest): Promise<OpenedFile> {
      const etag = `"${text}"` // the content cannot change under its CID
      if (isNamed(headers['if-none-match'], etag)) return { status: 304, headers: { etag }, body: Readable.from([]) }
      const stop = new AbortController()
      const signal = AbortSignal.any([asked, stop.signal])
      const { size, content } = await entry(text, { signal, budget })
      const valid = headers['if-range'] === undefined || headers['if-range'] === etag
      const range = valid ? byteRange(headers.range, size) : undefined
      if (range === 'unsatisfiable')
        return { status: 416, headers: { etag, 'content-range': `bytes */${size}` }, body: Readable.from([]) }
      const { start, end } = range ?? { start: 0, end: size - 1 }
      const length = end - start + 1
      const described: OpenedFile['headers'] = { etag, 'accept-ranges': 'bytes', 'content-length': String(length) }
      if (range) described['content-range'] = `bytes ${start}-${end}/${size}`
      const bytes = () => content({ offset: start, length, blockReadConcurrency: READ_AHEAD, signal })
      const body = Readable.from(method === 'HEAD' ? [] : bytes())
      body.once('close', () => stop.abort())
      return { status: range ? 206 : 200, headers: described, body }
    },
  }
}

/** Runs a step of the exporter; what it throws of its own (a broken tree) is the storage's failure. */
async function guarded<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof StorageError) throw error
    throw new StorageError('STORAGE_REFUSED', 'The file cannot be read.')
  }
}

function parsedCid(text: string): CID | undefined {
  if (!/^[A-Za-z0-9]{1,128}$/.test(text)) return undefined
  try {
    return CID.parse(text)
  } catch {
    return undefined
  }
}
