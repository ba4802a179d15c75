import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { askJson } from './ask.js'
import { atEnd } from './cleanup.js'
import { listeningServer } from './http-server.js'
import type { Refusal } from './refusals.js'
import { jsonBody } from './storage-server.js'

interface Call {
  id: unknown
  method: string
  params: unknown[]
}

const LOOK = 'eth_getBlockByNumber'

/** Sends one call to a node. */
export type Forward = (method: string, params: unknown[]) => Promise<{ result?: unknown; error?: unknown }>

/** Returns a function that sends calls to the node at a URL. */
export function forwardTo(target: string): Forward {
  return async (method, params) => {
    const { json } = await askJson(target, { jsonrpc: '2.0', id: 1, method, params })
    return json
  }
}

/** A JSON-RPC proxy in front of a real node, which counts requests and injects the faults of real nodes. */
export class RpcProxy {
  /** Calls by method and HTTP requests since `forget`. */
  calls: string[] = []
  posts = 0
  /** Those of them that only ask for the head, as the index and the clock do from time to time. */
  looks = { calls: 0, posts: 0 }
  /** Closes every connection. */
  down = false
  /** Never answers. */
  silent = false
  /** Starts its responses, and never ends them. */
  stalls = false
  /** Milliseconds to wait before answering. */
  delay = 0
  /** Answers every nth request with 429. */
  refuseEvery = 0
  /** The last block that it knows. */
  lagsAt: number | undefined
  /** The largest range of blocks that it returns logs for. */
  maxRange = Number.POSITIVE_INFINITY
  /** Refuses calls, by the call and its true answer. */
  refuse: (method: string, params: unknown[], truth: unknown) => Refusal | undefined = () => undefined
  /** Forwards a call to the node. Replaced by `balancedNode`. */
  forward: Forward
  /** Replaces answers, given the true one. */
  lie: (method: string, truth: unknown) => unknown = (_, truth) => truth

  private constructor(
    private readonly server: Server,
    target: string,
  ) {
    this.forward = forwardTo(target)
    server.on('request', async (request, response) => {
      const body = await jsonBody<Call | Call[]>(request)
      this.posts += 1
      const calls = [body].flat()
      this.calls.push(...calls.map(({ method }) => method))
      const looks = calls.filter(({ method, params }) => method === LOOK && params?.[0] === 'latest').length
      this.looks.calls += looks
      if (looks === calls.length) this.looks.posts += 1
      if (this.down) return void request.socket.destroy()
      if (this.silent) return
      if (this.refuseEvery > 0 && this.posts % this.refuseEvery === 0)
        return void response.writeHead(429, { 'retry-after': '1' }).end('slow down')
      const answers = await Promise.all([body].flat().map((call) => this.answer(call))).catch(() => undefined)
      if (!answers) return void request.socket.destroy()
      const status = answers.find((answer): answer is { status: number } => 'status' in answer)?.status
      if (status) return void response.writeHead(status).end('Request Entity Too Large')
      if (this.delay > 0) await new Promise((resolve) => setTimeout(resolve, this.delay))
      response.writeHead(200, { 'content-type': 'application/json' })
      const text = JSON.stringify(Array.isArray(body) ? answers : answers[0])
      if (this.stalls) response.write(text.slice(0, 10))
      else response.end(text)
    })
  }

  static async before(target: string): Promise<RpcProxy> {
    const server = await listeningServer()
    const proxy = new RpcProxy(server, target)
    atEnd(async () => proxy.close())
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/key-hunter2`
  }

  forget(): void {
    this.calls = []
    this.posts = 0
    this.looks = { calls: 0, posts: 0 }
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  private async answer({ id, method, params = [] }: Call): Promise<object> {
    const [first] = params as [{ fromBlock?: string; toBlock?: string } & string]
    if (method === 'eth_getLogs' && Number(first.toBlock) - Number(first.fromBlock) >= this.maxRange)
      return { jsonrpc: '2.0', id, error: { code: -32005, message: 'range too large' } }
    const isLate = this.lagsAt !== undefined && method === 'eth_getBlockByNumber' && first === 'latest'
    const asked = isLate ? [`0x${this.lagsAt?.toString(16)}`, ...params.slice(1)] : params
    const { result, error } = await this.forward(method, asked)
    if (error) return { jsonrpc: '2.0', id, error }
    const refusal = this.refuse(method, params, result)
    if (refusal) return 'status' in refusal ? refusal : { jsonrpc: '2.0', id, error: refusal }
    return { jsonrpc: '2.0', id, result: this.lie(method, this.behind(method, first, result)) }
  }

  private behind(method: string, first: string, result: unknown): unknown {
    const limit = this.lagsAt
    if (limit === undefined) return result
    if (method === 'eth_blockNumber') return `0x${limit.toString(16)}`
    if (method === 'eth_getBlockByNumber') return Number(first) > limit ? null : result
    if (method === 'eth_getTransactionReceipt')
      return Number((result as { blockNumber?: string } | null)?.blockNumber) > limit ? null : result
    if (method === 'eth_getLogs')
      return (result as { blockNumber: string }[]).filter(({ blockNumber }) => Number(blockNumber) <= limit)
    return result
  }
}
