import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { connector } from '@tidegate/common'
import { AwsV4Signer } from 'aws4fetch'
import { Agent } from 'undici'
import { HOSTING_LIMITS } from '../limits.js'
import { childText, xmlRoot } from './xml.js'

/** A bucket with the credentials for it. */
export interface S3Account {
  endpoint: URL
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Whether the bucket is in the path instead of the host name. */
  isPathStyle: boolean
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Empty for the bucket itself. */
  key: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Uint8Array
  signal?: AbortSignal | undefined
}

export interface S3Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
}

/** S3 refused a request or is unreachable. The message contains no object key and no address. */
export class S3Error extends Error {
  constructor(
    /** HTTP status; 0 without a response. */
    readonly status: number,
    /** Error code of S3 or of the connection. */
    readonly code: string,
  ) {
    super(`S3 answered ${status} ${code}.`)
  }

  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500
  }
}

const { s3Connections, s3Connect, s3Silence, s3Answer, s3Backoffs } = HOSTING_LIMITS.hosting

/**
 * Client of one bucket of the operator's S3-compatible service, which may be in a private network. Signs requests with their
 * bytes (Signature Version 4). Retries transient failures, since every request is idempotent. Follows no redirects.
 */
export class S3Client {
  private readonly agent = new Agent({
    connect: connector({ timeout: s3Connect }),
    headersTimeout: s3Silence,
    bodyTimeout: s3Silence,
    connections: s3Connections,
  })
  /** Signing keys by day. */
  private readonly cache = new Map<string, ArrayBuffer>()

  constructor(private readonly account: S3Account) {}

  /** Sends a request and reads the response. Rejects with S3Error, also for statuses other than 2xx, or the signal's reason. */
  async send(request: S3Request): Promise<S3Answer & { text: string }> {
    return this.withRetries(request, async (signal) => {
      const { body, ...answer } = await this.once(request, signal)
      const text = await textOf(body)
      // late failures have a status of success
      if (answer.status >= 300 || isFailure(text)) throw failureOf(answer.status, text)
      return { ...answer, text }
    })
  }

  /** Like send, but returns the body as a stream, which must be read or destroyed. */
  async open(request: S3Request): Promise<S3Answer & { body: Readable }> {
    return this.withRetries(request, async (signal) => {
      const answer = await this.once(request, signal)
      if (answer.status >= 300) throw failureOf(answer.status, await textOf(answer.body))
      return answer
    })
  }

  close(): Promise<void> {
    return this.agent.destroy()
  }

  private async withRetries<T>(
    { signal }: S3Request,
    ask: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const failure = await ask(signal).then(
        (value) => ({ value }),
        (error: unknown) => (signal?.aborted ? Promise.reject(signal.reason) : asS3Error(error)),
      )
      if ('value' in failure) return failure.value
      const backoff = s3Backoffs[attempt]
      if (!failure.isTransient || backoff === undefined) throw failure
      // jitter: requests that failed together are not retried together
      await sleep(backoff * (0.5 + Math.random()), undefined, { ...(signal ? { signal } : {}) })
    }
  }

  private async once(request: S3Request, signal: AbortSignal | undefined): Promise<S3Answer & { body: Readable }> {
    const { method, body } = request
    const { url, headers } = await this.signed(request)
    const response = await this.agent.request({
      ...{ origin: url.origin, path: url.pathname + url.search, method, headers },
      ...(body ? { body } : {}),
      ...(signal ? { signal } : {}),
    })
    response.body.on('error', () => undefined) // after its reader has left, an error must not crash the process
    return { status: response.statusCode, headers: response.headers, body: response.body }
  }

  private async signed({ method, key, query, headers = {}, body }: S3Request) {
    const { accessKeyId, secretAccessKey, region } = this.account
    const url = this.urlOf(key)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
    const sum = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    const signer = new AwsV4Signer({
      ...{ method, url: url.href, service: 's3', region, accessKeyId, secretAccessKey, cache: this.cache },
      headers: { 'x-amz-content-sha256': sum },
    })
    const signed = await signer.sign()
    const all = Object.fromEntries(signed.headers as unknown as Iterable<[string, string]>)
    return { url, headers: { 'user-agent': 'tidegate', 'accept-encoding': 'identity', ...all, ...headers } }
  }

  private urlOf(key: string): URL {
    const { endpoint, bucket, isPathStyle } = this.account
    const url = new URL(endpoint)
    const base = url.pathname.replace(/\/+$/, '')
    if (!isPathStyle) url.hostname = `${bucket}.${url.hostname}`
    url.pathname = `${base}/${isPathStyle ? `${bucket}/` : ''}${key}`.replace(
      /\/$/,
      key === '' && isPathStyle ? '' : '/',
    )
    return url
  }
}

async function textOf(body: Readable): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body) {
    size += (part as Buffer).length
    if (size > s3Answer) throw new S3Error(0, 'TOO_LONG')
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts).toString('utf8')
}

function isFailure(text: string): boolean {
  return text.includes('Error') && xmlRoot(text)?.name === 'Error'
}

/** Parses a failure. A late one, with a status of success, counts as status 500. */
function failureOf(status: number, text: string): S3Error {
  const code = childText(xmlRoot(text), 'Code') ?? ''
  return new S3Error(status < 300 ? 500 : status, /^[A-Za-z0-9]{1,64}$/.test(code) ? code : 'UNKNOWN')
}

function asS3Error(error: unknown): S3Error {
  if (error instanceof S3Error) return error
  const { code, name } = error as { code?: string; name?: string }
  return new S3Error(0, String(code ?? name ?? 'UNKNOWN').slice(0, 64))
}
