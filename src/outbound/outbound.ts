import { Agent } from 'undici'

/** An answer of a service that the operator has named. */
export interface OutboundAnswer {
  status: number
  /** The body as JSON; undefined where it is none. */
  json: unknown
}

/**
 * Asks services that the operator has configured (metadata caches, access control, receivers of proofs), as against
 * locations of files, which leave through storage/egress.ts: these may lie in the operator's own network. Time and
 * size are limited, redirects are not followed.
 */
export class Outbound {
  private readonly agent: Agent

  /** `timeout` in milliseconds for each phase, `maxSize` in bytes of an answer. */
  constructor({ timeout, maxSize }: { timeout: number; maxSize: number }) {
    this.agent = new Agent({
      connect: { timeout },
      headersTimeout: timeout,
      bodyTimeout: timeout,
      maxResponseSize: maxSize,
    })
  }

  /** Rejects where no answer came, with an error whose words may hold the URL. */
  async get(url: string): Promise<OutboundAnswer> {
    return this.send(url, 'GET')
  }

  /** The same, with a body of JSON. */
  async post(url: string, body: unknown): Promise<OutboundAnswer> {
    return this.send(url, 'POST', JSON.stringify(body))
  }

  close(): Promise<void> {
    return this.agent.destroy()
  }

  private async send(url: string, method: 'GET' | 'POST', body?: string): Promise<OutboundAnswer> {
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
    })
    const text = await response.body.text()
    return { status: response.statusCode, json: parsed(text) }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
