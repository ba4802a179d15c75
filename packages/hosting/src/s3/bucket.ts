import type { Readable } from 'node:stream'
import { HOSTING_LIMITS } from '../limits.js'
import { type S3Account, S3Client, S3Error, type S3Request } from './s3-client.js'
import { childrenOf, childText, type XmlElement, xmlRoot } from './xml.js'

/** An uploaded part of a multipart upload. */
export type UploadedPart = [number: number, etag: string]

export interface OpenUpload {
  key: string
  uploadId: string
  /** When it began, in milliseconds since 1970. */
  at: number
}

/** Operations on a bucket. All reject with S3Error. */
export class Bucket {
  private readonly client: S3Client

  constructor(account: S3Account) {
    this.client = new S3Client(account)
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    await this.client.send({ method: 'PUT', key, body })
  }

  /** Opens a range of an object of `size` bytes, both ends inclusive. */
  async get(key: string, range: { start: number; end: number; size: number }, signal?: AbortSignal): Promise<Readable> {
    const { start, end, size } = range
    const isWhole = start === 0 && end === size - 1
    const headers: Record<string, string> = isWhole ? {} : { range: `bytes=${start}-${end}` }
    const answer = await this.client.open({ method: 'GET', key, headers, signal })
    const { 'content-length': length, 'content-range': contentRange } = answer.headers
    const isExpected = isWhole ? answer.status === 200 : contentRange === `bytes ${start}-${end}/${size}`
    if (isExpected && Number(length) === end - start + 1) return answer.body
    answer.body.destroy()
    throw new S3Error(answer.status, 'OtherBytes')
  }

  /** Returns the size of an object in bytes; undefined if there is none. */
  async sizeOf(key: string): Promise<number | undefined> {
    try {
      const { headers } = await this.client.send({ method: 'HEAD', key })
      return Number(headers['content-length'])
    } catch (error) {
      if (error instanceof S3Error && error.status === 404) return undefined
      throw error
    }
  }

  async remove(key: string): Promise<void> {
    await this.client.send({ method: 'DELETE', key })
  }

  /** Yields the keys with a prefix; with a delimiter, their common prefixes up to it. */
  async *list(prefix: string, delimiter?: '/'): AsyncGenerator<string> {
    const [list, name] = delimiter ? ['CommonPrefixes', 'Prefix'] : ['Contents', 'Key']
    for (let token: string | undefined; ; ) {
      const query = { 'list-type': '2', prefix, ...(delimiter ? { delimiter } : {}) }
      const asked = { ...query, ...(token === undefined ? {} : { 'continuation-token': token }) }
      const root = await this.root({ method: 'GET', key: '', query: asked })
      for (const found of childrenOf(root, list)) yield known(childText(found, name))
      token = childText(root, 'NextContinuationToken')
      if (childText(root, 'IsTruncated') !== 'true' || !token) return
    }
  }

  /** Begins a multipart upload. Returns its id. */
  async begin(key: string): Promise<string> {
    return known(childText(await this.root({ method: 'POST', key, query: { uploads: '' } }), 'UploadId'))
  }

  /** Uploads a part. Returns its ETag. */
  async putPart(key: string, uploadId: string, partNumber: number, body: Uint8Array): Promise<string> {
    const query = { partNumber: String(partNumber), uploadId }
    const { headers } = await this.client.send({ method: 'PUT', key, query, body })
    return known(headers.etag)
  }

  /** Completes a multipart upload. `parts`: ordered by number. */
  async complete(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<void> {
    const listed = parts.map(([n, etag]) => `<Part><PartNumber>${n}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`)
    const body = Buffer.from(`<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`)
    known(childText(await this.root({ method: 'POST', key, query: { uploadId }, body }), 'ETag'))
  }

  /** Aborts a multipart upload. Ignores a missing one. */
  async abort(key: string, uploadId: string): Promise<void> {
    try {
      await this.client.send({ method: 'DELETE', key, query: { uploadId } })
    } catch (error) {
      if (!(error instanceof S3Error) || error.status !== 404) throw error
    }
  }

  /** Yields the unfinished multipart uploads for keys with a prefix. */
  async *uploads(prefix: string): AsyncGenerator<OpenUpload> {
    for (let after: Record<string, string> = {}; ; ) {
      const root = await this.root({ method: 'GET', key: '', query: { uploads: '', prefix, ...after } })
      for (const upload of childrenOf(root, 'Upload')) {
        const [key, uploadId] = [childText(upload, 'Key'), childText(upload, 'UploadId')]
        const at = Date.parse(childText(upload, 'Initiated') ?? '')
        // skips uploads without a time, since their age is unknown
        if (key !== undefined && uploadId !== undefined && !Number.isNaN(at)) yield { key, uploadId, at }
      }
      const [keyMarker, uploadMarker] = [childText(root, 'NextKeyMarker'), childText(root, 'NextUploadIdMarker')]
      if (childText(root, 'IsTruncated') !== 'true' || !keyMarker || !uploadMarker) return
      after = { 'key-marker': keyMarker, 'upload-id-marker': uploadMarker }
    }
  }

  /** Sends a request whose response is a document. Rejects with S3Error if it is none. */
  private async root(request: S3Request): Promise<XmlElement> {
    const root = xmlRoot((await this.client.send(request)).text)
    if (!root) throw new S3Error(0, 'NoResult')
    return root
  }

  close(): Promise<void> {
    return this.client.close()
  }
}

/** Returns an id or ETag of a response. Throws S3Error if it is missing. */
function known(name: unknown): string {
  if (typeof name !== 'string' || name === '' || name.length > HOSTING_LIMITS.hosting.s3Id)
    throw new S3Error(0, 'NoResult')
  return name
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
}
