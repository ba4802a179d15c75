import { createTransport, RpcRequestError, type Transport } from 'viem'
import { NodeAbilities } from './abilities.js'
import { MAX_BATCH } from './batch-size.js'
import { type CallOutcome, CallSender } from './call-sender.js'
import { type Call, JsonRpcHttp } from './json-rpc-http.js'

interface JsonRpcOptions {
  /** Milliseconds for one response. */
  timeout: number
  /** Whether calls made in one turn of the event loop are batched into one HTTP request. */
  batch: boolean
  /** Largest response body, in bytes. */
  maxResponse: number
  /** The abilities of the node, shared by all of its clients. */
  abilities?: NodeAbilities | undefined
}

/** Calls that every usable node answers: an error means that it refuses all calls, or has no chain yet. */
const BASIC_CALLS = new Set(['eth_chainId', 'eth_blockNumber'])

/** A node answers a basic call with an error, for instance because its key is not valid. */
export class BasicCallRefused extends RpcRequestError {}

interface Waiting {
  call: Call
  resolve(outcome: CallOutcome): void
}

/**
 * JSON-RPC over HTTP for viem, with the errors of its `http` transport. Retries only refused batch sizes and rate limits.
 * Reasons: docs/decisions/2026-11-26-json-rpc-transport.md.
 */
export function jsonRpc(url: URL, { timeout, batch, maxResponse, abilities }: JsonRpcOptions): Transport {
  const http = new JsonRpcHttp(url, timeout, maxResponse)
  const sender = new CallSender(http, abilities ?? new NodeAbilities(), timeout)
  const queue = new BatchQueue(sender)
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
          ? await queue.send(call, options?.signal)
          : ((await sender.send([call], options?.signal))[0] as CallOutcome)
        if ('error' in outcome) throw outcome.error
        const { error, result } = outcome.reply
        const Refused = BASIC_CALLS.has(method) ? BasicCallRefused : RpcRequestError
        if (error) throw new Refused({ body: { method, params }, error, url: http.url })
        return result as never
      },
    })
}

/** Batches the calls of one turn of the event loop, with one batch per signal: a signal aborts the whole request. */
class BatchQueue {
  private readonly waiting = new Map<AbortSignal | undefined, Waiting[]>()

  constructor(private readonly sender: CallSender) {}

  send(call: Call, signal?: AbortSignal): Promise<CallOutcome> {
    return new Promise((resolve) => {
      const one = { call, resolve }
      const others = this.waiting.get(signal)
      if (others && others.length < MAX_BATCH) return void others.push(one)
      if (others) this.flush(others, signal)
      const batch = [one]
      this.waiting.set(signal, batch)
      setImmediate(() => this.flush(batch, signal))
    })
  }

  private flush(batch: Waiting[], signal: AbortSignal | undefined): void {
    // a full batch was sent earlier
    if (this.waiting.get(signal) !== batch) return
    this.waiting.delete(signal)
    const calls = batch.map(({ call }) => call)
    const settle = (outcomes: CallOutcome[]) => {
      for (const [at, { resolve }] of batch.entries()) resolve(outcomes[at] as CallOutcome)
    }
    this.sender.send(calls, signal).then(settle, (error) => settle(calls.map(() => ({ error }))))
  }
}
