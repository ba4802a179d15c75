import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import type { S3Account } from '../../packages/hosting/src/s3/s3-client.js'
import { S3_KEYS } from './backends.js'
import { eventually } from './eventually.js'

const require = createRequire(import.meta.url)

/** A request to the bucket: what it does, and the action of a policy that allows it. */
export interface Asked {
  what: 'put' | 'get' | 'head' | 'delete' | 'list' | 'uploads' | 'begin' | 'part' | 'complete' | 'abort'
  action: string
  key: string
  query: URLSearchParams
  body: Buffer
  /** Bytes of the body. */
  bytes: number
  range: string | undefined
}

/** What happens to a request instead of what it asks for. `lose`: it is done, and its answer never arrives. `wait`: it is done later. */
export type Fault =
  | { status: number; code: string }
  | 'reset'
  | 'silent'
  | 'lose'
  | { cutAfter: number }
  | { wait: Promise<undefined> }
  | { change: (answer: { status: number; headers: Record<string, string>; body: Buffer }) => void }

/** A bucket on a real S3 server. */
export interface S3Bucket {
  endpoint: string
  bucket: string
  /** For a client of it. */
  account: S3Account
  /** Settings of a service that hosts files there. */
  settings: Record<string, string>
  /** All requests so far that were rightly signed. The bodies of files are not kept. */
  asked: Asked[]
  /** Decides what happens to a request. */
  fault: (asked: Asked) => Fault | undefined
  /** Writes the XML of responses as another maker does. */
  style: (xml: string) => string
  /** Keys of all objects, and ids of all multipart uploads that are neither complete nor aborted. */
  keys(): string[]
  uploads(): string[]
  /** By their ids: for which key, and since when. */
  begun: Map<string, { key: string; initiated: Date }>
  bytesOf(key: string): Buffer
  /** Where an object lies. */
  pathOf(key: string): string
  close(): Promise<void>
}

const BUCKET = 'tides'

/**
 * An S3 server, and a door in front of it. The door verifies signatures and the hash of each body with another
 * implementation, since the server ignores them, and does what the server lacks: it lists and aborts multipart uploads, refuses to
 * complete one that is gone, whose parts are too small or have other tags, answers a range of the first byte, and answers
 * when bytes are on the disk. `smallestPart` has the bytes that parts must have at least: 5 MiB, as everywhere, unless told.
 */
export async function startBucket(smallestPart = 5_242_880): Promise<S3Bucket> {
  const S3rver = require('s3rver')
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  const address = '127.0.0.1'
  const server = new S3rver({
    ...{ port: 0, address, silent: true, directory: folder, configureBuckets: [{ name: BUCKET }] },
  })
  const { port: inner } = await server.run()
  const root = join(folder, BUCKET)
  const uploadsFolder = join(root, '._S3rver_uploads')

  const door = createServer((request, response) => void handle(request, response).catch(() => response.destroy()))
  door.listen(0, address)
  await once(door, 'listening')

  const opened: S3Bucket = {
    endpoint: `http://${address}:${(door.address() as AddressInfo).port}`,
    bucket: BUCKET,
    get account() {
      const endpoint = new URL(opened.endpoint)
      return { ...S3_KEYS, bucket: BUCKET, region: 'us-east-1', endpoint, isPathStyle: true }
    },
    get settings() {
      return {
        ...{ HOSTING: 's3', HOSTING_S3_BUCKET: BUCKET, HOSTING_S3_ENDPOINT: opened.endpoint },
        ...{ HOSTING_S3_ACCESS_KEY_ID: S3_KEYS.accessKeyId, HOSTING_S3_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey },
      }
    },
    asked: [],
    begun: new Map(),
    fault: () => undefined,
    style: (xml) => xml,
    keys: () =>
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('._S3rver_object') && !name.startsWith('._S3rver_uploads'))
        .map((name) => name.slice(0, -'._S3rver_object'.length)),
    uploads: () => (existsSync(uploadsFolder) ? readdirSync(uploadsFolder) : []),
    pathOf: (key) => join(root, `${key}._S3rver_object`),
    bytesOf: (key) => readFileSync(opened.pathOf(key)),
    async close() {
      door.close()
      door.closeAllConnections()
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return opened

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    if (!isSigned(request, body)) return refuse(response, 403, 'SignatureDoesNotMatch')
    const asked = askedBy(request, body)
    if (!asked) return refuse(response, 501, 'NotImplemented')
    const isFile = asked.what === 'put' || asked.what === 'part'
    opened.asked.push(isFile ? { ...asked, body: Buffer.alloc(0) } : asked)
    let fault = opened.fault(asked)
    if (typeof fault === 'object' && 'wait' in fault) fault = await fault.wait
    if (fault === 'silent') return
    if (fault === 'reset') return void request.socket.resetAndDestroy()
    if (typeof fault === 'object' && 'status' in fault) return refuse(response, fault.status, fault.code)
    const refusal = refusalOf(asked)
    if (refusal) return refuse(response, ...refusal, opened.style)
    if (asked.what === 'abort') {
      rmSync(uploadPath(asked), { recursive: true })
      return void response.writeHead(204).end()
    }
    if (asked.what === 'uploads') return void response.writeHead(200).end(opened.style(listed(asked)))
    // the server takes a range that ends at 0 for one without an end
    if (asked.what === 'get' && asked.range === 'bytes=0-0' && opened.keys().includes(asked.key)) {
      const bytes = opened.bytesOf(asked.key)
      const headers = { 'content-range': `bytes 0-0/${bytes.length}`, 'content-length': '1' }
      return void response.writeHead(206, headers).end(bytes.subarray(0, 1))
    }
    const length = stored(asked)
    const answer = await send(request, body)
    if (asked.what === 'begin') {
      let text = ''
      answer.on('data', (data) => {
        text += data
        const [, id] = /<UploadId>([^<]*)</.exec(text) ?? []
        if (id) opened.begun.set(id, { key: asked.key, initiated: new Date() })
      })
    }
    if (length !== undefined && answer.statusCode === 200)
      await eventually(() => statSync(stores(asked)).size === length)
    if (fault === 'lose') {
      answer.resume()
      return void request.socket.resetAndDestroy()
    }
    if (fault === undefined && ['list', 'begin', 'complete'].includes(asked.what)) {
      const { 'content-length': _, 'transfer-encoding': __, ...headers } = answer.headers
      return void response
        .writeHead(answer.statusCode as number, headers)
        .end(opened.style(String(await bodyOf(answer))))
    }
    if (fault === undefined) {
      response.writeHead(answer.statusCode as number, answer.headers)
      pipeline(answer, response, () => undefined)
      return
    }
    const whole = { status: answer.statusCode as number, headers: { ...answer.headers } as Record<string, string> }
    const bytes = { ...whole, body: await bodyOf(answer) }
    if ('change' in fault) fault.change(bytes)
    response.writeHead(bytes.status, bytes.headers)
    if (!('cutAfter' in fault)) return void response.end(bytes.body)
    response.write(bytes.body.subarray(0, fault.cutAfter), () => request.socket.resetAndDestroy())
  }

  function send(request: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const { method, url: path, headers } = request
    return new Promise((resolve, reject) => {
      const { range } = headers
      const passed = { 'content-length': String(body.length), ...(range ? { range } : {}) }
      forward({ host: address, port: inner, method, path, headers: passed }, resolve).on('error', reject).end(body)
    })
  }

  /** A page of what was begun and is neither complete nor aborted: in the order of keys, two at a time. */
  function listed({ query }: Asked): string {
    const order = ([id, { key }]: [string, { key: string }]) => `${key} ${id}`
    const marker = query.has('key-marker') ? `${query.get('key-marker')} ${query.get('upload-id-marker')}` : ''
    const all = [...opened.begun]
      .filter(([id, { key }]) => opened.uploads().includes(id) && key.startsWith(query.get('prefix') ?? ''))
      .sort((a, b) => (order(a) < order(b) ? -1 : 1))
      .filter((one) => order(one) > marker)
    const page = all.slice(0, 2)
    const [id, last] = page.at(-1) ?? []
    const uploads = page.map(
      ([id, { key, initiated }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
    )
    const next = `<NextKeyMarker>${last?.key}</NextKeyMarker><NextUploadIdMarker>${id}</NextUploadIdMarker>`
    const rest = `${page.length < all.length ? next : ''}<IsTruncated>${page.length < all.length}</IsTruncated>`
    return `<ListMultipartUploadsResult>${rest}${uploads.join('')}</ListMultipartUploadsResult>`
  }

  function uploadPath({ query }: Asked): string {
    return join(uploadsFolder, query.get('uploadId') as string)
  }

  /** Where the bytes of a request are stored. */
  function stores(asked: Asked): string {
    return asked.what === 'part'
      ? join(uploadPath(asked), asked.query.get('partNumber') as string)
      : opened.pathOf(asked.key)
  }

  /** How many bytes a request stores. */
  function stored(asked: Asked): number | undefined {
    if (asked.what === 'put' || asked.what === 'part') return asked.bytes
    if (asked.what !== 'complete') return undefined
    return partsOf(asked).reduce((sum, { number }) => sum + statSync(join(uploadPath(asked), number)).size, 0)
  }

  /** What S3 refuses, and the server does not. */
  function refusalOf(asked: Asked): [number, string] | undefined {
    if (!['part', 'complete', 'abort'].includes(asked.what)) return undefined
    if (!existsSync(uploadPath(asked))) return [404, 'NoSuchUpload']
    if (asked.what !== 'complete') return undefined
    const parts = partsOf(asked)
    const numbers = parts.map(({ number }) => Number(number))
    if (parts.length === 0) return [400, 'MalformedXML']
    if (numbers.some((number, at) => number <= (numbers[at - 1] ?? 0))) return [400, 'InvalidPartOrder']
    for (const [at, { number, etag }] of parts.entries()) {
      const path = join(uploadPath(asked), number)
      if (!existsSync(path) || readFileSync(`${path}.md5`, 'utf8') !== etag) return [400, 'InvalidPart']
      if (at < parts.length - 1 && statSync(path).size < smallestPart) return [400, 'EntityTooSmall']
    }
    return undefined
  }
}

function partsOf({ body }: Asked): { number: string; etag: string }[] {
  const found = body.toString().matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag><\/Part>/g)
  return [...found].map(([, number, etag]) => ({
    number: number as string,
    etag: (etag as string).replaceAll('&#34;', ''),
  }))
}

function refuse(response: ServerResponse, status: number, code: string, style = (xml: string) => xml): void {
  const headers = { 'content-type': 'application/xml' }
  response
    .writeHead(status, headers)
    .end(style(`<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>no</Message></Error>`))
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function isSigned({ headers, method, url }: IncomingMessage, body: Buffer): boolean {
  const { authorization = '', host, 'x-amz-date': date, 'x-amz-content-sha256': sum } = headers
  if (sum !== createHash('sha256').update(body).digest('hex')) return false
  const signed = { 'X-Amz-Date': date, 'X-Amz-Content-Sha256': sum }
  const request = { host, path: url, method, service: 's3', region: 'us-east-1', headers: signed }
  const expected = require('aws4').sign(request, S3_KEYS).headers.Authorization as string
  const signature = (text: string) => /Signature=(\w+)/.exec(text)?.[1]
  return signature(authorization) !== undefined && signature(authorization) === signature(expected)
}

function askedBy({ method, url, headers }: IncomingMessage, body: Buffer): Asked | undefined {
  const { pathname, searchParams: query } = new URL(url as string, 'http://localhost')
  const [, bucket, ...parts] = pathname.split('/')
  const key = parts.join('/')
  const found = bucket === BUCKET ? meaningOf(method as string, key, query) : undefined
  return found && { what: found[0], action: found[1], key, query, body, bytes: body.length, range: headers.range }
}

function meaningOf(method: string, key: string, query: URLSearchParams): [Asked['what'], string] | undefined {
  if (key === '' && method === 'GET' && query.has('uploads')) return ['uploads', 's3:ListBucketMultipartUploads']
  if (key === '') return method === 'GET' && query.has('list-type') ? ['list', 's3:ListBucket'] : undefined
  if (method === 'PUT') return [query.has('uploadId') ? 'part' : 'put', 's3:PutObject']
  if (method === 'POST' && query.has('uploads')) return ['begin', 's3:PutObject']
  if (method === 'POST' && query.has('uploadId')) return ['complete', 's3:PutObject']
  if (method === 'DELETE')
    return query.has('uploadId') ? ['abort', 's3:AbortMultipartUpload'] : ['delete', 's3:DeleteObject']
  if (method === 'GET' || method === 'HEAD') return [method === 'GET' ? 'get' : 'head', 's3:GetObject']
  return undefined
}
