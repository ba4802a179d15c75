import { pipeline, type Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { setImmediate } from 'node:timers/promises'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { connector, Deadline, describeAnswer } from '@tidegate/common'
import { JsonBoundsError, parseJson } from '@tidegate/protocol'
import { Agent } from 'undici'
import { HttpRequestError, ResponseBodyTooLargeError, TimeoutError } from 'viem'
import { CHAIN_LIMITS } from '../limits.js'
import { retryAfterIn } from './rate-limits.js'

export type Call = { jsonrpc: '2.0'; id: number; method: string; params?: unknown }

/** The cause of an HttpRequestError: the node answered something else than JSON-RPC. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
}

/** Connections to nodes, shared by all clients of the process. Idle connections close by themselves. */
const connections = new Agent({ connect: connector(), headersTimeout: 0, bodyTimeout: 0 })

/** The turn of the last large body in this process. */
let lastTurn: Promise<void> = Promise.resolve()

/** Resolves in a separate iteration of the event loop for each caller: one iteration parses at most one large body. */
function turn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate())
  return lastTurn
}

const DECOMPRESSORS: Record<string, typeof createGunzip | undefined> = {
  gzip: createGunzip,
  br: createBrotliDecompress,
}

/** Posts JSON to one node and reads its responses. Follows no redirects: a node must not choose another server. */
export class JsonRpcHttp {
  /** The URL without credentials, which are in a header. */
  readonly url: string
  private readonly target: { origin: string; path: string; method: 'POST' }
  private readonly headers: Record<string, string>

  /** `timeout`: milliseconds for a whole response; `limit`: bytes of a body, compressed and decompressed. */
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
      'accept-encoding': Object.keys(DECOMPRESSORS).join(', '),
      'user-agent': 'tidegate',
      ...(credentials.length > 1 ? { authorization: `Basic ${credentials.toString('base64')}` } : {}),
    }
  }

  /**
   * Sends one call or a batch. Returns the parsed body.
   * @throws TimeoutError, or the signal's reason
   * @throws ResponseBodyTooLargeError if the body has too many bytes or values
   * @throws HttpRequestError if the node is unreachable, or sends no JSON-RPC, with an UnexpectedAnswer as its cause
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
      // nodes also send JSON-RPC errors with an HTTP error status; 429 is a rate limit, whatever the body says
      if (status >= 200 && status < 300 ? isRpcBody(value) : status !== 429 && isRpcAnswer(value)) return value
      const retryAfter = headers['retry-after'] ?? secondsIn(value)
      throw new HttpRequestError({
        body: calls,
        status,
        headers: new Headers(typeof retryAfter === 'string' ? { 'retry-after': retryAfter } : {}),
        url: this.url,
        cause: new UnexpectedAnswer(described(status, headers['content-type'], text, value)),
      })
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason
      // closes the connection if the body was not read to its end
      deadline.abort(error)
      if (error instanceof HttpRequestError || error instanceof ResponseBodyTooLargeError) throw error
      throw new HttpRequestError({ body: calls, cause: error as Error, url: this.url })
    } finally {
      deadline.release()
    }
  }

  /** Reads a body up to the limit, both compressed and plain. */
  private async textOf(body: Readable, encoding: string | string[] | undefined): Promise<string> {
    const decompressor = DECOMPRESSORS[String(encoding ?? '').toLowerCase()]?.()
    const sent = this.bounded(body)
    const plain = decompressor ? this.bounded(pipeline(sent, decompressor, () => undefined)) : sent
    // decodes chunk by chunk, so that no body is in memory twice
    const decoder = new StringDecoder()
    let text = ''
    for await (const chunk of plain) text += decoder.write(chunk)
    if (text.length > CHAIN_LIMITS.nodes.turn) await turn()
    return text + decoder.end()
  }

  private async *bounded(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0
    for await (const chunk of body) {
      size += chunk.length
      if (size > this.limit) throw this.tooLarge(size)
      yield chunk
    }
  }

  /** Returns undefined if the text is not JSON. */
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

/** Decodes a part of a URL; returns it unchanged if its escapes are invalid. */
function unescaped(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function described(status: number, contentType: unknown, text: string, value: unknown): string {
  if (status < 300 && value !== undefined) return `answers JSON that is no JSON-RPC with status ${status}`
  return describeAnswer({ status, contentType, text }, 'JSON-RPC')
}

/** Whether a body holds a reply of JSON-RPC, of any outcome. */
function isRpcBody(value: unknown): boolean {
  return [value].flat().some((one) => {
    const { jsonrpc, error } = Object(one) as { jsonrpc?: unknown; error?: unknown }
    return jsonrpc !== undefined || 'result' in Object(one) || Object(error) === error
  })
}

/** Whether a body is a JSON-RPC error or contains replies to a batch. */
function isRpcAnswer(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((one) => 'result' in Object(one) || isRpcAnswer(one))
  const { code, message } = Object(Object(value).error) as { code?: unknown; message?: unknown }
  return typeof code === 'number' && typeof message === 'string'
}

/** Returns the seconds before a retry that an error body names, as text; undefined if it names none. */
function secondsIn(value: unknown): string | undefined {
  const milliseconds = retryAfterIn(Object(Object(Array.isArray(value) ? value[0] : value).error))
  return milliseconds === undefined ? undefined : String(milliseconds / 1000)
}

/** A node's reply to one call. */
export interface Reply {
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

/** Returns a body as a reply; unwraps a list of one. Any other body has no result, which validation refuses. */
export function replyIn(value: unknown): Reply {
  return Object(Array.isArray(value) && value.length === 1 ? value[0] : value) as Reply
}
