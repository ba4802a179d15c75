import { Agent } from 'undici'

/** An answer of a service that the operator has named. */
export interface OutboundAnswer {
  status: number
  /** The body as JSON; undefined where it is none. */
  json: unknown
}

/** The same as the text that it is, where somebody else reads it. */
export interface OutboundText {
  status: number
  text: string
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
    return asJson(await this.text(url))
  }

  /** The same without a look at the body. */
  async text(url: string): Promise<OutboundText> {
    return this.send(url, 'GET')
  }

  /** The same, with a body of JSON. */
  async post(url: string, body: unknown): Promise<OutboundAnswer> {
    return asJson(await this.send(url, 'POST', JSON.stringify(body)))
  }

  close(): Promise<void> {
    return this.agent.destroy()
  }

  private async send(url: string, method: 'GET' | 'POST', body?: string): Promise<OutboundText> {
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
    return { status: response.statusCode, text: await response.body.text() }
  }
}

function asJson({ status, text }: OutboundText): OutboundAnswer {
  try {
    return { status, json: JSON.parse(text) }
  } catch {
    return { status, json: undefined }
  }
}
