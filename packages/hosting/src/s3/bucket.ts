import type { Readable } from 'node:stream'
import { type S3Account, S3Client, S3Error } from './s3-client.js'

/** A part of a multipart upload, as S3 knows it. */
export type UploadedPart = [number: number, etag: string]

/** A multipart upload that is neither complete nor aborted, and when it began, in milliseconds since 1970. */
export interface OpenUpload {
  key: string
  uploadId: string
  at: number
}

/** The operations on a bucket that hosting needs. All reject with S3Error. */
export class Bucket {
  private readonly client: S3Client

  constructor(account: S3Account) {
    this.client = new S3Client(account)
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    await this.client.send({ method: 'PUT', key, body })
  }

  /** Opens bytes of an object, both ends inclusive, of which the object has `size` in all. */
  async get(key: string, range: { start: number; end: number; size: number }, signal?: AbortSignal): Promise<Readable> {
    const { start, end, size } = range
    const isWhole = start === 0 && end === size - 1
    const headers: Record<string, string> = isWhole ? {} : { range: `bytes=${start}-${end}` }
    const answer = await this.client.open({ method: 'GET', key, headers, signal })
    const { 'content-length': length, 'content-range': given } = answer.headers
    const isAsked = isWhole ? answer.status === 200 : given === `bytes ${start}-${end}/${size}`
    if (isAsked && Number(length) === end - start + 1) return answer.body
    answer.body.destroy()
    throw new S3Error(answer.status, 'OtherBytes')
  }

  /** Returns the bytes of an object; undefined if there is none. */
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

  /** The keys that begin with a prefix; with a delimiter, the beginnings that they have in common up to it. */
  async *list(prefix: string, delimiter?: '/'): AsyncGenerator<string> {
    const tag = delimiter ? 'CommonPrefixes><Prefix' : 'Key'
    const end = delimiter ? 'Prefix' : 'Key'
    for (let token: string | undefined; ; ) {
      const query = { 'list-type': '2', prefix, ...(delimiter ? { delimiter } : {}) }
      const asked = { ...query, ...(token === undefined ? {} : { 'continuation-token': token }) }
      const { text } = await this.client.send({ method: 'GET', key: '', query: asked })
      for (const [, found] of text.matchAll(new RegExp(`<${tag}>([^<]*)</${end}>`, 'g'))) yield plain(found as string)
      token = field(text, 'NextContinuationToken')
      if (field(text, 'IsTruncated') !== 'true' || token === undefined) return
    }
  }

  /** Begins a multipart upload, and returns its id. */
  async begin(key: string): Promise<string> {
    const { text } = await this.client.send({ method: 'POST', key, query: { uploads: '' } })
    return known(field(text, 'UploadId'))
  }

  /** Uploads a part, and returns what S3 calls these bytes. */
  async putPart(key: string, uploadId: string, partNumber: number, body: Uint8Array): Promise<string> {
    const query = { partNumber: String(partNumber), uploadId }
    const { headers } = await this.client.send({ method: 'PUT', key, query, body })
    return known(headers.etag)
  }

  /** Makes the object of its parts, which are in the order of their numbers. */
  async complete(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<void> {
    const listed = parts.map(([n, etag]) => `<Part><PartNumber>${n}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`)
    const body = Buffer.from(`<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`)
    const { text } = await this.client.send({ method: 'POST', key, query: { uploadId }, body })
    known(field(text, 'ETag'))
  }

  /** Ends a multipart upload without an object; one that is not there is left alone. */
  async abort(key: string, uploadId: string): Promise<void> {
    try {
      await this.client.send({ method: 'DELETE', key, query: { uploadId } })
    } catch (error) {
      if (!(error instanceof S3Error) || error.status !== 404) throw error
    }
  }

  /** The multipart uploads for keys that begin with a prefix. */
  async *uploads(prefix: string): AsyncGenerator<OpenUpload> {
    for (let after: Record<string, string> = {}; ; ) {
      const { text } = await this.client.send({ method: 'GET', key: '', query: { uploads: '', prefix, ...after } })
      for (const [, upload = ''] of text.matchAll(/<Upload>(.*?)<\/Upload>/gs)) {
        const [key, uploadId] = [field(upload, 'Key'), field(upload, 'UploadId')]
        const at = Date.parse(field(upload, 'Initiated') ?? '')
        // one without a time is never old
        if (key !== undefined && uploadId !== undefined && !Number.isNaN(at)) yield { key, uploadId, at }
      }
      const [keyMarker, uploadMarker] = [field(text, 'NextKeyMarker'), field(text, 'NextUploadIdMarker')]
      if (field(text, 'IsTruncated') !== 'true' || !keyMarker || !uploadMarker) return
      after = { 'key-marker': keyMarker, 'upload-id-marker': uploadMarker }
    }
  }

  close(): Promise<void> {
    return this.client.close()
  }
}

/** Returns a name that S3 has given; an answer without one is none. */
function known(name: unknown): string {
  if (typeof name !== 'string' || name === '' || name.length > 1024) throw new S3Error(0, 'NoResult')
  return name
}

function field(text: string, name: string): string | undefined {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1]
  return found === undefined ? undefined : plain(found)
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function plain(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] as string)
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
}
