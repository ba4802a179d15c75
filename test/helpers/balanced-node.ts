import { randomFrom } from '../../stress/simulate/chain.js'
import { atEnd } from './cleanup.js'
import { type Forward, forwardTo, RpcProxy } from './rpc-proxy.js'

/** The parts of a node, each of which may be of another moment. */
const PARTS = ['blocks', 'logs', 'state', 'receipts'] as const
type Part = (typeof PARTS)[number]

export interface Balance {
  /** Milliseconds by which a part may be late. Each call gets one of them for each part. Default: 0. */
  lags?: Partial<Record<Part, number[]>>
  /** Returns each list of events with one of them twice, by this chance from 0 to 1. Default: 0. */
  repeats?: number
  seed?: number
}

/** Milliseconds between looks at the head of the node: far less than lags, and each look is a request to the node. */
const LOOK = 100

const HEADER_NOT_FOUND = { error: { code: -32000, message: 'header not found' } }
const UNKNOWN_BLOCK = { error: { code: -32000, message: 'unknown block' } }

/** Methods that read the state, with the position of their block parameter. */
const STATE_METHODS: Record<string, number> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getCode: 1,
  eth_getBalance: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
}

/** An address that balances calls over nodes: blocks, logs, state and receipts of each call are of moments of their own. */
export async function balancedNode(target: string, balance: Balance = {}): Promise<RpcProxy> {
  const proxy = await RpcProxy.before(target)
  const forward = forwardTo(target)
  const heads = headsOf(target)
  await heads.look()
  const first = heads.latest
  const random = randomFrom(balance.seed ?? 1)
  proxy.forward = async (method, params) => {
    await heads.look()
    const known = Object.fromEntries(
      PARTS.map((part) => {
        const lags = balance.lags?.[part] ?? [0]
        return [part, heads.before(lags[random(lags.length)] as number, first)]
      }),
    ) as Record<Part, number>
    const answer = await answerAt(known, forward, method, params)
    const repeated = random(1000) < 1000 * (balance.repeats ?? 0)
    if (method !== 'eth_getLogs' || !repeated || !Array.isArray(answer.result)) return answer
    return { result: answer.result.flatMap((log, at) => (at === 0 ? [log, log] : [log])) }
  }
  return proxy
}

/** The heads of the nodes of a test file, by URL: one watch serves all addresses before a node. */
const watched = new Map<string, Heads>()

function headsOf(target: string): Heads {
  const known = watched.get(target)
  if (known) return known
  const heads = new Heads(forwardTo(target))
  watched.set(target, heads)
  const looking = setInterval(() => void heads.look().catch(() => undefined), LOOK)
  atEnd(async () => {
    clearInterval(looking)
    watched.delete(target)
  })
  return heads
}

/** The heads of a node, with the time at which each was first seen. */
class Heads {
  private seen: { at: number; number: number }[] = []

  constructor(private readonly forward: Forward) {}

  /** The position of the latest head. */
  get latest(): number {
    return this.seen.length - 1
  }

  async look(): Promise<void> {
    const number = Number((await this.forward('eth_blockNumber', [])).result)
    if (this.seen.at(-1)?.number !== number) this.seen.push({ at: performance.now(), number })
  }

  /** The head some milliseconds ago, or the one at `first` if that came later. */
  before(lag: number, first: number): number {
    const latest = performance.now() - lag
    const seen = this.seen.findLast(({ at }, position) => position >= first && at <= latest) ?? this.seen[first]
    return seen?.number ?? 0
  }
}

async function answerAt(
  known: Record<Part, number>,
  forward: Forward,
  method: string,
  params: unknown[],
): ReturnType<Forward> {
  const stateParam = STATE_METHODS[method]
  if (stateParam !== undefined) return stateAt(known.state, stateParam, forward, method, params)
  switch (method) {
    case 'eth_blockNumber':
      return { result: hex(known.blocks) }
    case 'eth_getBlockByNumber': {
      const [block, full] = params
      if (!isNumber(block)) return forward(method, [hex(known.blocks), full])
      return Number(block) > known.blocks ? { result: null } : forward(method, params)
    }
    case 'eth_getBlockByHash':
    case 'eth_getBlockReceipts':
      return upTo(known.blocks, await forward(method, params))
    case 'eth_getTransactionReceipt':
    case 'eth_getTransactionByHash':
      return upTo(known.receipts, await forward(method, params))
    case 'eth_getLogs':
      return logsAt(known, forward, params)
    default:
      return forward(method, params)
  }
}

/** Answers a call to the state at a block, or by the newest known state. */
async function stateAt(head: number, at: number, forward: Forward, method: string, params: unknown[]) {
  const wanted = params[at] as { blockHash?: string; blockNumber?: string } | string | undefined
  const number =
    typeof wanted === 'object' && wanted?.blockHash !== undefined
      ? await numberOf(wanted.blockHash, forward)
      : ((wanted as { blockNumber?: string } | undefined)?.blockNumber ?? wanted)
  const pinned = isNumber(number) ? Number(number) : undefined
  if (pinned === undefined && typeof wanted === 'object') return HEADER_NOT_FOUND
  if (pinned !== undefined && pinned > head) return HEADER_NOT_FOUND
  return forward(method, params.toSpliced(at, 1, hex(pinned ?? head)))
}

async function logsAt({ blocks, logs }: Record<Part, number>, forward: Forward, params: unknown[]) {
  const [{ blockHash }] = params as [{ blockHash?: string }]
  if (blockHash !== undefined) {
    const number = Number(await numberOf(blockHash, forward))
    if (!(number <= blocks)) return UNKNOWN_BLOCK
  }
  const { result, error } = await forward('eth_getLogs', params)
  if (error) return { error }
  return { result: (result as { blockNumber: string }[]).filter((log) => Number(log.blockNumber) <= logs) }
}

async function numberOf(blockHash: string, forward: Forward): Promise<string | undefined> {
  return ((await forward('eth_getBlockByHash', [blockHash, false])).result as { number?: string } | null)?.number
}

/** Returns null for what is of a later block. */
function upTo(head: number, answer: { result?: unknown; error?: unknown }) {
  const { blockNumber, number } = Object([answer.result].flat()[0]) as { blockNumber?: string; number?: string }
  return Number(blockNumber ?? number ?? 0) > head ? { result: null } : answer
}

const isNumber = (block: unknown): block is string => typeof block === 'string' && /^0x[0-9a-f]+$/i.test(block)

const hex = (number: number) => `0x${number.toString(16)}`
