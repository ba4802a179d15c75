import { blockIn, fieldsOf, listOf } from '@tidegate/protocol/values'
import { type Address, type Hex, numberToHex, type PublicClient } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import { ask, chainUnreachable, inTime, isBehind } from './reads.js'

/** The used fields of a block's header. */
export interface Header {
  number: number
  /** Seconds since 1970. */
  timestamp: number
  logsBloom: unknown
}

/** Facts that the node of a client has shown: an older answer comes from a node that is behind. */
interface Seen {
  /** Number of the newest block. */
  newest: number
  /** Newest blocks with transactions of this client. */
  mined: number[]
  /** Last transaction of each local account. */
  sent: Map<Address, { nonce: number; hash: Hex }>
  /** Block that the provider's index had read when the client was first used. */
  indexed?: Promise<number | undefined>
}

/** By client and chain: a wallet may switch between chains. */
const seenBy = /* @__PURE__ */ new WeakMap<PublicClient, Map<number, Seen>>()

/**
 * One block of a chain, at which all reads of a decision are made. The node may be a balancer over nodes of different
 * moments: one that does not know the block is asked again, within `LIMITS.behind`.
 */
export class Moment {
  private constructor(
    readonly client: PublicClient,
    private readonly chainId: number,
    /** Number of the block. */
    readonly block: number,
    /** Milliseconds since 1970. */
    readonly taken: number,
    private readonly head?: Header,
  ) {}

  /** Returns the newest block: at least block `least`, and at least every block that the node has shown. */
  static async of(client: PublicClient, chainId: number, least = 0): Promise<Moment> {
    const seen = seenOf(client, chainId)
    const head = headerIn(await ask(client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })))
    if (!head) throw chainUnreachable(undefined, 'with a block')
    seen.newest = Math.max(seen.newest, head.number)
    const block = Math.max(seen.newest, least)
    return new Moment(client, chainId, block, Date.now(), head)
  }

  get seen(): Seen {
    return seenOf(this.client, this.chainId)
  }

  /** Returns this moment, or a newer one if it is older than `LIMITS.behind.fresh`. */
  async now(): Promise<Moment> {
    return Date.now() - this.taken < LIMITS.behind.fresh ? this : this.renewed()
  }

  /** Returns the newest block, which is not older than this one. */
  renewed(): Promise<Moment> {
    return Moment.of(this.client, this.chainId, this.block)
  }

  /** Returns the moment of a mined transaction. */
  after({ blockNumber }: { blockNumber: bigint }): Moment {
    const { seen } = this
    const block = Number(blockNumber)
    seen.newest = Math.max(seen.newest, block)
    seen.mined = [block, ...seen.mined].slice(0, LIMITS.behind.mined)
    return new Moment(this.client, this.chainId, Math.max(block, this.block), Date.now())
  }

  /** Sends a read of the state at this block. Throws TidegateError `CHAIN_BEHIND`, and the node's own errors. */
  async read(method: string, params: readonly unknown[]): Promise<unknown> {
    const at = [...params, numberToHex(this.block)]
    const answer = await patiently(LIMITS.behind.known, () => this.tried(method, at))
    if (answer) return answer.result
    throw this.behind(this.block)
  }

  /** Returns a header of this block or an earlier one. Throws TidegateError `CHAIN_BEHIND`, `CHAIN_UNREACHABLE`. */
  async header(number: number = this.block): Promise<Header> {
    if (number === this.head?.number) return this.head
    const header = await patiently(LIMITS.behind.known, async () =>
      headerIn((await ask(this.tried('eth_getBlockByNumber', [numberToHex(number), false])))?.result),
    )
    if (header) return header
    throw this.behind(number)
  }

  /** Returns an object by its hash; undefined if the node does not show it within some seconds. */
  find(method: 'eth_getTransactionReceipt' | 'eth_getTransactionByHash', hash: Hex): Promise<unknown> {
    return patiently(LIMITS.behind.unknown, async () => (await ask(this.tried(method, [hash])))?.result ?? undefined)
  }

  /** Sends one request; undefined if the node lacks the block. */
  private async tried(method: string, params: readonly unknown[]): Promise<{ result: unknown } | undefined> {
    try {
      return { result: await inTime(this.client.request({ method, params } as never)) }
    } catch (error) {
      if (isBehind(error)) return undefined
      throw error
    }
  }

  private behind(block: number): TidegateError {
    // a chain that was set back, as local ones are, never reaches the block
    this.seen.newest = 0
    delete this.seen.indexed
    const message = `The node of the chain is behind: it does not answer from block ${block}, which it or the provider has named. Try again in a minute.`
    return new TidegateError('CHAIN_BEHIND', message)
  }
}

/**
 * Returns the present moment of a chain: at least block `least`, such as that of a document, and the block that the
 * provider's index has read. Throws TidegateError `NO_CHAIN`, `WRONG_NETWORK`, `CHAIN_UNREACHABLE`.
 */
export async function momentOf(context: Context, chainId: number, least = 0): Promise<Moment> {
  const client = await context.chain(chainId)
  const seen = seenOf(client, chainId)
  seen.indexed ??= indexedBlock(context, chainId)
  return Moment.of(client, chainId, Math.max(least, (await seen.indexed) ?? 0))
}

/** Returns the facts that a client has seen of a chain. */
export function seenOf(client: PublicClient, chainId: number): Seen {
  const chains = seenBy.get(client) ?? new Map<number, Seen>()
  seenBy.set(client, chains)
  const seen = chains.get(chainId) ?? { newest: 0, mined: [], sent: new Map() }
  chains.set(chainId, seen)
  return seen
}

/** Returns the block that the index of the provider has read, 0 before the first; undefined if the provider does not tell it. */
export async function indexedBlock({ api }: Context, chainId: number): Promise<number | undefined> {
  const status = await api.get<unknown>('/api/services/status').catch(() => undefined)
  const chain = listOf(fieldsOf(status).chains, 1000)
    .map(fieldsOf)
    .find((one) => one.chainId === chainId)
  return chain && blockIn(chain.block)
}

function headerIn(block: unknown): Header | undefined {
  const { number, timestamp, logsBloom } = fieldsOf(block)
  return number ? { number: blockIn(number), timestamp: Number(timestamp), logsBloom } : undefined
}

/** Repeats a look-up with growing pauses until it has a result. Returns undefined after `most` milliseconds. */
export async function patiently<T>(most: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const end = Date.now() + most
  for (let pause: number = LIMITS.behind.pause; ; pause = Math.min(2 * pause, 1_000)) {
    const found = await look()
    if (found !== undefined || Date.now() + pause > end) return found
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
