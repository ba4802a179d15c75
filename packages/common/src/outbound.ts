import { Agent } from 'undici'
import { connector } from './connector.js'
import { withDeadline } from './deadline.js'

/** A response of a service that the operator configured. */
export interface OutboundText {
  status: number
  contentType: unknown
  text: string
}

/** The response with its body as JSON. */
export interface OutboundJson extends OutboundText {
  /** The parsed body; undefined if it is not JSON. */
  json: unknown
}

interface Sent {
  method: 'GET' | 'POST'
  body?: string
  headers?: Record<string, string> | undefined
}

export interface OutboundOptions {
  /** Milliseconds for the connection, the headers and each part of the body. */
  timeout: number
  /** Milliseconds for a whole exchange: a trickling body never reaches the other timeouts. Default: three times `timeout`. */
  deadline?: number
  /** Maximum bytes of a response. */
  maxSize: number
}

/**
 * HTTP client for services that the operator configured: metadata caches, access control, receivers of proofs and webhooks. They may
 * be in a private network. Requests for files go through storage/egress/egress.ts instead. Time and size are limited;
 * redirects are not followed.
 */
export class Outbound {
  private readonly agent: Agent
  private readonly deadline: number
  private readonly maxSize: number

  constructor({ timeout, deadline = 3 * timeout, maxSize }: OutboundOptions) {
    this.deadline = deadline
    this.maxSize = maxSize
    this.agent = new Agent({
      connect: connector({ timeout }),
      headersTimeout: timeout,
      bodyTimeout: timeout,
    })
  }

  /** Sends a GET request. Rejects if there is no response. The error message may contain the URL. */
  async get(url: string, headers?: Record<string, string>): Promise<OutboundJson> {
    return asJson(await this.read(url, { method: 'GET', headers }))
  }

  /** Sends a GET request and returns the body as text. Rejects also if the body exceeds `maxSize` bytes. */
  async text(url: string, maxSize = this.maxSize): Promise<OutboundText> {
    return this.read(url, { method: 'GET' }, maxSize)
  }

  /** Sends a POST request with a JSON body. Rejects if there is no response, or if it exceeds `maxSize` bytes. */
  async post(url: string, body: unknown, headers?: Record<string, string>): Promise<OutboundJson> {
    return asJson(await this.read(url, { method: 'POST', body: JSON.stringify(body), headers }))
  }

  /** Sends a POST request with JSON text, and returns the status. Discards the body of the response, of which `maxSize` bytes are read. */
  deliver(url: string, body: string, headers: Record<string, string>): Promise<number> {
    return withDeadline({ milliseconds: this.deadline }, async (signal) => {
      const response = await this.request(url, { method: 'POST', body, headers }, signal)
      await response.body.dump({ limit: this.maxSize, signal }).catch(() => undefined)
      return response.statusCode
    })
  }

  close(): Promise<void> {
    return this.agent.destroy()
  }

  private read(url: string, sent: Sent, maxSize = this.maxSize): Promise<OutboundText> {
    return withDeadline({ milliseconds: this.deadline }, async (signal) => {
      const { statusCode: status, headers, body } = await this.request(url, sent, signal)
      return { status, contentType: headers['content-type'], text: await textOf(body, maxSize) }
    })
  }

  private request(url: string, { method, body, headers: more }: Sent, signal: AbortSignal) {
    const { origin, pathname, search, username, password } = new URL(url)
    const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
    return this.agent.request({
      origin,
      path: pathname + search,
      method,
      headers: {
        accept: 'application/json',
        'user-agent': 'tidegate',
        ...more,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(username === '' ? {} : { authorization: `Basic ${credentials.toString('base64')}` }),
      },
      ...(body === undefined ? {} : { body }),
      signal,
    })
  }
}

/** Reads a body to its end. Closes the connection if the body is too long. */
async function textOf(body: AsyncIterable<Buffer>, maxSize: number): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > maxSize) throw Object.assign(new Error('The response is too long.'), { code: 'TOO_LONG' })
    parts.push(part)
  }
  // removes a byte order mark
  return new TextDecoder().decode(Buffer.concat(parts))
}

function asJson(response: OutboundText): OutboundJson {
  try {
    return { ...response, json: JSON.parse(response.text) }
  } catch {
    return { ...response, json: undefined }
  }
}
