import { createTransport, RpcRequestError, type Transport } from 'viem'
import { type Call, Posts, type Reply, replyIn } from './posts.js'

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
 * JSON-RPC over HTTP for the chain library, without retries. Rejects like the library's own transport, which takes ten
 * times as much processor time: it builds each request and response twice, as streams of the web.
 */
export function jsonRpc(url: URL, { timeout, batch, maxAnswer }: JsonRpcOptions): Transport {
  const posts = new Posts(url, timeout, maxAnswer)
  const batches = new Batches(posts)
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
        const { error, result } = batch ? await batches.send(call) : await one(posts, call, options?.signal)
        if (error) throw new RpcRequestError({ body: { method, params }, error, url: posts.url })
        return result as never
      },
    })
}

async function one(posts: Posts, call: Call, signal?: AbortSignal): Promise<Reply> {
  return replyIn(await posts.send(call, signal))
}

/** Collects the calls of one turn of the event loop. */
class Batches {
  private waiting: Waiting[] = []

  constructor(private readonly posts: Posts) {}

  send(call: Call): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === BATCH) this.flush()
      if (this.waiting.push({ call, resolve, reject }) > 1) return
      const { waiting } = this
      setImmediate(() => this.waiting === waiting && this.flush())
    })
  }

  private flush(): void {
    const sent = this.waiting
    this.waiting = []
    const [first] = sent as [Waiting]
    const answered = sent.length === 1 ? one(this.posts, first.call).then((reply) => [reply]) : this.together(sent)
    answered.then(
      (replies) => {
        for (const [at, { resolve }] of sent.entries()) resolve(replies[at] as Reply)
      },
      (error) => {
        for (const { reject } of sent) reject(error)
      },
    )
  }

  /** Replies may come in any order. An object instead of a list is the node's reply to all of them. */
  private async together(sent: Waiting[]): Promise<Reply[]> {
    const body = sent.map(({ call }) => call)
    const answer = await this.posts.send(body)
    if (!Array.isArray(answer)) return Array<Reply>(sent.length).fill(replyIn(answer))
    const byId = new Map(answer.map((reply) => [(reply as { id?: unknown } | null)?.id, reply]))
    return body.map(({ id }) => replyIn(byId.get(id)))
  }
}
