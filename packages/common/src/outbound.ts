import { Agent } from 'undici'
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
  /** Maximum bytes of the response. */
  maxSize: number
}

/**
 * HTTP client for services that the operator configured: metadata caches, access control, receivers of proofs. They may
 * be in a private network. Requests for files go through storage/egress/egress.ts instead. Time and size are limited;
 * redirects are not followed.
 */
export class Outbound {
  private readonly agent: Agent
  /** Milliseconds for a whole exchange: a trickling body never reaches the other timeouts. */
  private readonly deadline: number
  private readonly maxSize: number

  /**
   * `timeout`: milliseconds for the connection, the headers and each part of the body. The whole exchange has three
   * times as many. `maxSize`: bytes of a response.
   */
  constructor({ timeout, maxSize }: { timeout: number; maxSize: number }) {
    this.deadline = 3 * timeout
    this.maxSize = maxSize
    this.agent = new Agent({
      connect: { timeout },
      headersTimeout: timeout,
      bodyTimeout: timeout,
    })
  }

  /** Sends a GET request. Rejects if there is no response. The error message may contain the URL. */
  async get(url: string): Promise<OutboundJson> {
    return asJson(await this.text(url))
  }

  /** Sends a GET request and returns the body as text. Rejects also if the body exceeds `maxSize` bytes. */
  async text(url: string, maxSize = this.maxSize): Promise<OutboundText> {
    return this.send(url, { method: 'GET', maxSize })
  }

  /** Sends a POST request with a JSON body. */
  async post(url: string, body: unknown): Promise<OutboundJson> {
    return asJson(await this.send(url, { method: 'POST', body: JSON.stringify(body), maxSize: this.maxSize }))
  }

  close(): Promise<void> {
    return this.agent.destroy()
  }

  private send(url: string, sent: Sent): Promise<OutboundText> {
    return withDeadline({ milliseconds: this.deadline }, (signal) => this.exchange(url, sent, signal))
  }

  private async exchange(url: string, { method, body, maxSize }: Sent, signal: AbortSignal): Promise<OutboundText> {
    const { origin, pathname, search, username, password } = new URL(url)
    const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
    const response = await this.agent.request({
      origin,
      path: pathname + search,
      method,
      headers: {
        accept: 'application/json',
        'user-agent': 'tidegate',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(username === '' ? {} : { authorization: `Basic ${credentials.toString('base64')}` }),
      },
      ...(body === undefined ? {} : { body }),
      signal,
    })
    const { statusCode: status, headers } = response
    return { status, contentType: headers['content-type'], text: await textOf(response.body, maxSize) }
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
