import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from './cleanup.js'
import { listeningServer } from './http-server.js'
import { jsonBody } from './storage-server.js'

/** A call of JSON-RPC, as a client sends it. */
export interface RpcCall {
  id: unknown
  method: string
  params?: unknown[]
}

/** A reply of JSON-RPC. */
export type RpcReply = { jsonrpc: '2.0'; id: unknown } & ({ result: unknown } | { error: object })

/** An answer of HTTP; `drop` closes the connection instead. */
export type HttpAnswer = { status: number; headers?: Record<string, string>; body: string } | 'drop'

/** What a node does not do. */
export interface Limits {
  /** Returns the answer to a whole batch; undefined if the node behind answers it. */
  batch?: (calls: RpcCall[]) => HttpAnswer | undefined
  /** Returns the answer that replaces the replies to a batch. */
  replies?: (replies: RpcReply[]) => unknown
  /** Refuses one call with an error of JSON-RPC, or the request with it by HTTP; `isBatched`: whether it is one of several. */
  call?: (call: RpcCall, isBatched: boolean) => { error: object } | { http: HttpAnswer } | undefined
}

/** A proxy in front of a real node that does not do all that the node does. */
export class LimitedNode {
  limits: Limits = {}
  /** Time by performance.now(), calls and status of each request. */
  requests: { at: number; calls: RpcCall[]; status: number }[] = []

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {
    server.on('request', async (request, response) => {
      const body = await jsonBody<RpcCall | RpcCall[]>(request)
      const entry = { at: performance.now(), calls: [body].flat(), status: 200 }
      this.requests.push(entry)
      const answer = await this.answerTo(body).catch((): HttpAnswer => 'drop')
      entry.status = answer === 'drop' ? 0 : answer.status
      send(response, answer)
    })
  }

  static async before(target: string, limits: Limits = {}): Promise<LimitedNode> {
    const server = await listeningServer()
    const node = new LimitedNode(server, target)
    node.limits = limits
    atEnd(async () => node.close())
    return node
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  get url(): string {
    return `http://${this.host}/key-hunter2`
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  private async answerTo(body: RpcCall | RpcCall[]): Promise<HttpAnswer> {
    const { batch, replies: change } = this.limits
    const refused = Array.isArray(body) ? batch?.(body) : undefined
    if (refused) return refused
    const replies: RpcReply[] = []
    for (const call of [body].flat()) {
      const refusal = this.limits.call?.(call, Array.isArray(body))
      if (refusal && 'http' in refusal) return refusal.http
      replies.push(
        refusal ? { jsonrpc: '2.0', id: call.id, error: refusal.error } : ((await this.forward(call)) as RpcReply),
      )
    }
    return json(Array.isArray(body) ? (change ? change(replies) : replies) : replies[0])
  }

  private async forward(call: RpcCall): Promise<unknown> {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(this.target, { method: 'POST', headers, body: JSON.stringify(call) })).json()
  }
}

/** An answer with a JSON body. */
export const json = (value: unknown, status = 200): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

/** An error of JSON-RPC for all that was asked, as servers send it that could not read the request. */
export const rpcError = (code: number, message: string, id: unknown = null) => ({
  jsonrpc: '2.0' as const,
  id,
  error: { code, message },
})

/** The number of blocks of a request for events. */
export function blocksOf({ params }: RpcCall): number {
  const { fromBlock, toBlock } = params?.[0] as { fromBlock?: string; toBlock?: string }
  return fromBlock === undefined ? 1 : Number(toBlock) - Number(fromBlock) + 1
}

function send(response: ServerResponse, answer: HttpAnswer): void {
  if (answer === 'drop') return void response.destroy()
  response.writeHead(answer.status, { 'content-type': 'text/plain', ...answer.headers }).end(answer.body)
}
