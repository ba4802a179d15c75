import { createTransport, RpcRequestError, type Transport } from 'viem'
import { type Call, JsonRpcHttp, type Reply, replyIn } from './json-rpc-http.js'

/** Calls per HTTP request. */
const BATCH = 100

interface JsonRpcOptions {
  /** Milliseconds that the node may take for one response. */
  timeout: number
  /** Whether calls made in one turn of the event loop are batched into one HTTP request. */
  batch: boolean
  /** Largest response body, in bytes. */
  maxAnswer: number
}

interface Waiting {
  call: Call
  resolve(reply: Reply): void
  reject(error: unknown): void
}

/**
 * JSON-RPC over HTTP for the chain library, without retries. Rejects like the library's own transport, which takes five
 * times as much processor time (`npm run bench -- calls`): it builds each request and response twice, as streams of the web.
 */
export function jsonRpc(url: URL, { timeout, batch, maxAnswer }: JsonRpcOptions): Transport {
  const http = new JsonRpcHttp(url, timeout, maxAnswer)
  const batches = new Batches(http)
  let id = 0
  return () =>
    createTransport({
      key: 'http',
      name: 'HTTP JSON-RPC',
      type: 'http',
      retryCount: 0,
      timeout,
      async request({ method, params }, options?: { signal?: AbortSignal }) {
        const call: Call = { jsonrpc: '2.0', id: ++id, method, params }
        const { error, result } = batch
          ? await batches.send(call, options?.signal)
          : await one(http, call, options?.signal)
        if (error) throw new RpcRequestError({ body: { method, params }, error, url: http.url })
        return result as never
      },
    })
}

async function one(http: JsonRpcHttp, call: Call, signal?: AbortSignal): Promise<Reply> {
  return replyIn(await http.send(call, signal))
}

/** Collects the calls of one turn of the event loop, apart for each signal, which aborts the whole request. */
class Batches {
  private readonly waiting = new Map<AbortSignal | undefined, Waiting[]>()

  constructor(private readonly http: JsonRpcHttp) {}

  send(call: Call, signal?: AbortSignal): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const one = { call, resolve, reject }
      const others = this.waiting.get(signal)
      if (others && others.length < BATCH) return void others.push(one)
      if (others) this.flush(others, signal)
      const batch = [one]
      this.waiting.set(signal, batch)
      setImmediate(() => this.flush(batch, signal))
    })
  }

  private flush(batch: Waiting[], signal: AbortSignal | undefined): void {
    // sent already, since it was full
    if (this.waiting.get(signal) !== batch) return
    this.waiting.delete(signal)
    const [first] = batch as [Waiting]
    const replies =
      batch.length === 1
        ? one(this.http, first.call, signal).then((reply) => [reply])
        : sendBatch(
            this.http,
            batch.map(({ call }) => call),
            signal,
          )
    replies.then(
      (all) => {
        for (const [at, { resolve }] of batch.entries()) resolve(all[at] as Reply)
      },
      (error) => {
        for (const { reject } of batch) reject(error)
      },
    )
  }
}

/** Replies may come in any order. An object instead of a list is the node's reply to all of them. */
async function sendBatch(http: JsonRpcHttp, calls: Call[], signal?: AbortSignal): Promise<Reply[]> {
  const answer = await http.send(calls, signal)
  if (!Array.isArray(answer)) return calls.map(() => replyIn(answer))
  const byId = new Map(answer.map((reply) => [(reply as { id?: unknown } | null)?.id, reply]))
  return calls.map(({ id }) => replyIn(byId.get(id)))
}
