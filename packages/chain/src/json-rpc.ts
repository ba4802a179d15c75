import { createTransport, RpcRequestError, type Transport } from 'viem'
import { NodeAbilities } from './abilities.js'
import { type CallOutcome, CallSender } from './call-sender.js'
import { type Call, JsonRpcHttp } from './json-rpc-http.js'

/** Calls that wait for the end of a turn. */
const BATCH = 100

interface JsonRpcOptions {
  /** Milliseconds that the node may take for one response. */
  timeout: number
  /** Whether calls made in one turn of the event loop are batched into one HTTP request. */
  batch: boolean
  /** Largest response body, in bytes. */
  maxAnswer: number
  /** What the node can do; shared by all clients of it. */
  abilities?: NodeAbilities | undefined
}

interface Waiting {
  call: Call
  resolve(outcome: CallOutcome): void
}

/**
 * JSON-RPC over HTTP for the chain library, without retries, except in the form and at the rate that the node takes.
 * Rejects like the library's own transport, which takes five times as much processor time (`npm run bench -- calls`): it
 * builds each request and response twice, as streams of the web.
 */
export function jsonRpc(url: URL, { timeout, batch, maxAnswer, abilities }: JsonRpcOptions): Transport {
  const http = new JsonRpcHttp(url, timeout, maxAnswer)
  const sender = new CallSender(http, abilities ?? new NodeAbilities(), timeout)
  const batches = new Batches(sender)
  let id = 0
  return () =>
    createTransport({
      key: 'http',
      name: 'HTTP JSON-RPC',
      type: 'http',
      retryCount: 0,
      timeout,
      async request({ method, params }, options?: { signal?: AbortSignal | undefined }) {
        const call: Call = { jsonrpc: '2.0', id: ++id, method, params }
        const outcome = batch
          ? await batches.send(call, options?.signal)
          : ((await sender.send([call], options?.signal))[0] as CallOutcome)
        if ('error' in outcome) throw outcome.error
        const { error, result } = outcome.reply
        if (error) throw new RpcRequestError({ body: { method, params }, error, url: http.url })
        return result as never
      },
    })
}

/** Collects the calls of one turn of the event loop, apart for each signal, which aborts the whole request. */
class Batches {
  private readonly waiting = new Map<AbortSignal | undefined, Waiting[]>()

  constructor(private readonly sender: CallSender) {}

  send(call: Call, signal?: AbortSignal): Promise<CallOutcome> {
    return new Promise((resolve) => {
      const one = { call, resolve }
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
    const calls = batch.map(({ call }) => call)
    const settle = (outcomes: CallOutcome[]) => {
      for (const [at, { resolve }] of batch.entries()) resolve(outcomes[at] as CallOutcome)
    }
    this.sender.send(calls, signal).then(settle, (error) => settle(calls.map(() => ({ error }))))
  }
}
