import { Readable } from 'node:stream'
import { Deadline } from '@tidegate/common'
import { CID } from 'multiformats/cid'
import * as z from 'zod'
import { matchesIfNoneMatch } from '../http/entity-tags.js'
import { byteRange } from '../http/ranges.js'
import { STORAGE_LIMITS } from '../limits.js'
import type { OpenedFile, Storage } from '../storage.js'
import { describeFailure } from '../storage-failures.js'
import { ContentFile, entityBytes } from './ipfs/content.js'
import type { Gateways } from './ipfs/sources.js'
import type { Piece } from './ipfs/unix-file.js'
import type { StorageTools } from './tools.js'

/** A bare CID: no path, no query. */
const cid = z.string().refine((text) => parsedCid(text) !== undefined, 'must be a CID')

const ipfsFile = z.object({ type: z.literal('ipfs'), hash: cid })
const filecoinFile = z.object({ type: z.literal('filecoin'), cid })

export type IpfsFile = z.infer<typeof ipfsFile>
export type FilecoinFile = z.infer<typeof filecoinFile>

export function ipfsStorage(tools: StorageTools): Storage<IpfsFile> {
  return contentAddressed('ipfs', ipfsFile, ({ hash }) => hash, tools)
}

export function filecoinStorage(tools: StorageTools): Storage<FilecoinFile> {
  return contentAddressed('filecoin', filecoinFile, (file) => file.cid, tools)
}

/** Creates a storage over trustless gateways. Verifies every byte against the CID. */
function contentAddressed<T>(
  type: 'ipfs' | 'filecoin',
  schema: z.ZodType<T>,
  cidOf: (file: T) => string,
  tools: StorageTools,
): Storage<T> {
  const { egress, blockCache: cache } = tools
  const gateways: Gateways = { egress, urls: tools.gateways[type], unable: new Map(), cache }
  return {
    type,
    schema,
    describesByReading: true,
    async describe(file, context) {
      try {
        return { valid: true, contentLength: await ContentFile.size(parsedCid(cidOf(file)) as CID, gateways, context) }
      } catch (error) {
        return describeFailure(error)
      }
    },
    async open(file, { method, headers, signal: requestSignal, ...context }) {
      const text = cidOf(file)
      const etag = `"${text}"` // the CID identifies the content
      if (matchesIfNoneMatch(headers['if-none-match'], etag))
        return { status: 304, headers: { etag }, body: Readable.from([]) }
      // if the open fails, the listener stays until the end of the request
      const reading = new Deadline({ parent: requestSignal })
      const valid = headers['if-range'] === undefined || headers['if-range'] === etag
      const rangeHeader = valid ? headers.range : undefined
      const cid = parsedCid(text) as CID
      const within = { ...context, signal: reading.signal }
      const content =
        method === 'HEAD'
          ? { size: await ContentFile.size(cid, gateways, within) }
          : await ContentFile.open(cid, gateways, within, entityBytes(rangeHeader))
      const { size } = content
      const range = byteRange(rangeHeader, size)
      if (range === 'unsatisfiable') {
        reading.abort()
        return { status: 416, headers: { etag, 'content-range': `bytes */${size}` }, body: Readable.from([]) }
      }
      const { start, end } = range ?? { start: 0, end: size - 1 }
      const length = end - start + 1
      const described: OpenedFile['headers'] = { etag, 'accept-ranges': 'bytes', 'content-length': String(length) }
      if (range) described['content-range'] = `bytes ${start}-${end}/${size}`
      const body = content instanceof ContentFile ? await started(content.bytes(start, end + 1)) : Readable.from([])
      body.once('close', () => reading.abort())
      return { status: range ? 206 : 200, headers: described, body }
    },
  }
}

/** Waits for the first bytes, so that a broken file is refused instead of cut off. */
async function started(bytes: AsyncGenerator<Piece>): Promise<Readable> {
  let first: IteratorResult<Piece> | undefined = await bytes.next()
  let reading = false
  const read = async (body: Readable) => {
    const { done, value } = first ?? (await bytes.next())
    first = undefined
    reading = false
    // pushes pieces separately, since joining would copy them
    for (const piece of done ? [null] : value.pieces) body.push(piece)
  }
  return new Readable({
    read() {
      if (reading) return
      reading = true
      read(this).catch((error: Error) => this.destroy(error))
    },
    destroy(error, done) {
      // a pending read ends with the signal of the request
      bytes.return(undefined).catch(() => undefined)
      done(error)
    },
  })
}

function parsedCid(text: string): CID | undefined {
  if (text.length > STORAGE_LIMITS.files.cid || !/^[A-Za-z0-9]+$/.test(text)) return undefined
  try {
    return CID.parse(text)
  } catch {
    return undefined
  }
}
