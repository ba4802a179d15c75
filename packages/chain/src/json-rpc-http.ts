import { StringDecoder } from 'node:string_decoder'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, type InputType, type ZlibOptions } from 'node:zlib'
import { Deadline } from '@tidegate/common'
import { JsonBoundsError, parseJson } from '@tidegate/protocol'
import { Agent } from 'undici'
import { HttpRequestError, ResponseBodyTooLargeError, TimeoutError } from 'viem'
import { CHAIN_LIMITS } from './limits.js'
import { retryAfterIn } from './rate-limits.js'

/** A JSON-RPC request. */
export type Call = { jsonrpc: '2.0'; id: number; method: string; params?: unknown }

/** Bytes of a body whose parsing the event loop notices. */
const LARGE = 262_144

/** Connections to nodes. Of the process, so that all clients of a node share its connections; idle ones close by themselves. */
const connections = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

/** The turn of the last large body. Of the process, since all of them are parsed by its one event loop. */
let lastTurn: Promise<void> = Promise.resolve()

/** Resolves in another iteration of the event loop for each caller, so that large bodies are not parsed in one. */
function turn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate())
  return lastTurn
}

type Decompress = (body: InputType, options: ZlibOptions) => Promise<Buffer>

const DECODERS: Record<string, Decompress | undefined> = {
  gzip: promisify<InputType, ZlibOptions, Buffer>(gunzip),
  br: promisify<InputType, ZlibOptions, Buffer>(brotliDecompress),
}

/** Posts JSON to one node, and reads its responses. Redirects are not followed: whoever runs a node must not choose what is asked. */
export class JsonRpcHttp {
  /** Without credentials, which are in a header. */
  readonly url: string
  private readonly target: { origin: string; path: string; method: 'POST' }
  private readonly headers: Record<string, string>

  /** `timeout`: milliseconds for a response with all of its body; `limit`: bytes of a body, also when decompressed. */
  constructor(
    url: URL,
    private readonly timeout: number,
    private readonly limit: number,
  ) {
    const { origin, pathname, search, username, password } = url
    this.url = origin + pathname + search
    this.target = { origin, path: pathname + search, method: 'POST' }
    const credentials = Buffer.from(`${unescaped(username)}:${unescaped(password)}`)
    this.headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': Object.keys(DECODERS).join(', '),
      'user-agent': 'tidegate',
      ...(credentials.length > 1 ? { authorization: `Basic ${credentials.toString('base64')}` } : {}),
    }
  }

  /**
   * Sends one call or several, and returns what the body says. Rejects with TimeoutError, with ResponseBodyTooLargeError, also
   * for too many values, and with HttpRequestError where the node cannot be reached, its status is no success, or its body is
   * not JSON.
   */
  async send(calls: Call | Call[], signal?: AbortSignal): Promise<unknown> {
    const reason = () => new TimeoutError({ body: calls, url: this.url })
    const deadline = new Deadline({ milliseconds: this.timeout, parent: signal, reason })
    try {
      const body = JSON.stringify(calls)
      const answer = await connections.request({ ...this.target, headers: this.headers, body, signal: deadline.signal })
      const text = await this.textOf(answer.body, answer.headers['content-encoding'])
      const { statusCode: status, headers } = answer
      const value = this.parsed(text)
      // nodes also send errors of JSON-RPC with a status of HTTP; 429 is one of the rate, whatever the body says
      if ((status >= 200 && status < 300) || (status !== 429 && isRpcAnswer(value))) {
        if (value !== undefined) return value
        throw new SyntaxError('The body is not JSON.')
      }
      const retryAfter = headers['retry-after'] ?? secondsIn(value)
      throw new HttpRequestError({
        body: calls,
        status,
        headers: new Headers(typeof retryAfter === 'string' ? { 'retry-after': retryAfter } : {}),
        url: this.url,
      })
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason
      if (error instanceof HttpRequestError || error instanceof ResponseBodyTooLargeError) throw error
      throw new HttpRequestError({ body: calls, cause: error as Error, url: this.url })
    } finally {
      deadline.release()
    }
  }

  /** Reads a body up to the limit; the rest is never read. */
  private async textOf(body: AsyncIterable<Buffer>, encoding: string | string[] | undefined): Promise<string> {
    const decompress = DECODERS[String(encoding ?? '').toLowerCase()]
    if (decompress) return this.decompressed(body, decompress)
    // decoded as it comes, so that several large answers are never in memory twice
    const decoder = new StringDecoder()
    let text = ''
    await this.read(body, (chunk) => {
      text += decoder.write(chunk)
    })
    if (text.length > LARGE) await turn()
    return text + decoder.end()
  }

  private async decompressed(body: AsyncIterable<Buffer>, decompress: Decompress): Promise<string> {
    const chunks: Buffer[] = []
    await this.read(body, (chunk) => chunks.push(chunk))
    const bytes = await decompress(Buffer.concat(chunks), { maxOutputLength: this.limit }).catch((error) => {
      throw error.code === 'ERR_BUFFER_TOO_LARGE' ? this.tooLarge(this.limit + 1) : error
    })
    if (bytes.length > LARGE) await turn()
    return bytes.toString()
  }

  private async read(body: AsyncIterable<Buffer>, take: (chunk: Buffer) => void): Promise<void> {
    let size = 0
    for await (const chunk of body) {
      size += chunk.length
      // throwing here cancels the transfer
      if (size > this.limit) throw this.tooLarge(size)
      take(chunk)
    }
  }

  /** Undefined where it is not JSON. */
  private parsed(text: string): unknown {
    try {
      return parseJson(text, CHAIN_LIMITS.chain.shape)
    } catch (error) {
      if (error instanceof JsonBoundsError) throw this.tooLarge(text.length)
      return undefined
    }
  }

  private tooLarge(size: number): ResponseBodyTooLargeError {
    return new ResponseBodyTooLargeError({ maxSize: this.limit, size })
  }
}

/** The text of a part of a URL; where its escapes are none, as it stands. */
function unescaped(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Whether a body holds an error of JSON-RPC, or replies to a batch. */
function isRpcAnswer(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((one) => 'result' in Object(one) || isRpcAnswer(one))
  const { code, message } = Object(Object(value).error) as { code?: unknown; message?: unknown }
  return typeof code === 'number' && typeof message === 'string'
}

/** The seconds that the body of an error status names for the next attempt, as text. */
function secondsIn(value: unknown): string | undefined {
  const milliseconds = retryAfterIn(Object(Object(Array.isArray(value) ? value[0] : value).error))
  return milliseconds === undefined ? undefined : String(milliseconds / 1000)
}

/** What a node replied to a call. */
export interface Reply {
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

/** A reply that is missing, or no object, has no result: what checks results refuses it. A list of one is that reply. */
export function replyIn(value: unknown): Reply {
  return Object(Array.isArray(value) && value.length === 1 ? value[0] : value) as Reply
}
