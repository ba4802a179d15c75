import { CHAIN_ID } from '../fuzz/lib/honest.js'
import { hex, type Random, type ScriptedBlock, type ScriptedChain, type ScriptedLog } from './chain.js'

/** Faults of a node for a while, and Byzantine faults, which some nodes have for a whole history. */
export const FAULTS = [
  ...(['down', 'silent', 'busy', 'refuses', 'lags', 'knows nothing', 'low', 'no hashes', 'garbage'] as const),
  ...(['stale', 'flickers', 'half', 'mixes moments', 'repeats'] as const),
]
export const BYZANTINE_FAULTS = [
  'forged blocks',
  'no events',
  'events left out',
  'a high head',
  'forged events',
] as const
export type Fault = (typeof FAULTS)[number] | (typeof BYZANTINE_FAULTS)[number]

interface Call {
  id: number
  method: string
  params: unknown[]
}

/** An answer as a connection to a node delivers it. */
interface Answer {
  statusCode: number
  headers: Record<string, string>
  body: Buffer[]
}

const answer = (statusCode: number, text: string, headers: Record<string, string> = {}): Answer => ({
  statusCode,
  headers,
  body: [Buffer.from(text)],
})

/** A JSON-RPC node of a scripted chain, in this process, with the faults of real ones. */
export class ScriptedNode {
  fault: Fault | undefined
  /** The blocks that it keeps serving while it is stale. */
  private stale: readonly ScriptedBlock[] = []

  constructor(
    private readonly chain: ScriptedChain,
    private readonly random: Random,
  ) {}

  /** The blocks of one of the nodes behind this address, or of one of their parts. */
  private someMoment(): readonly ScriptedBlock[] {
    return this.chain.before(LAGS[this.random(LAGS.length)] as number)
  }

  /** Sets or clears the fault. */
  setFault(fault: Fault | undefined): void {
    this.fault = fault
    this.stale = this.chain.blocks
  }

  /** Responds to a request, or throws as a connection would. */
  respond(body: string): Answer {
    const { fault } = this
    if (fault === 'down' || (fault === 'flickers' && this.random(2) === 0)) throw new Error('other side closed')
    if (fault === 'silent') throw new DOMException('The operation timed out.', 'TimeoutError')
    if (fault === 'busy') return answer(429, 'slow down', { 'retry-after': '1' })
    const calls = JSON.parse(body) as Call | Call[]
    const one = (call: Call) => {
      const result = this.resultOf(call)
      return { jsonrpc: '2.0', id: call.id, ...(result instanceof Error ? { error: errorOf(result) } : { result }) }
    }
    const responses = Array.isArray(calls) ? calls.map(one) : one(calls)
    return answer(200, JSON.stringify(responses))
  }

  private resultOf({ method, params }: Call): unknown {
    const { fault } = this
    if (fault === 'garbage' && method !== 'eth_chainId') return GARBAGE[this.random(GARBAGE.length)]
    const blocks = this.blocks()
    switch (method) {
      case 'eth_chainId':
        return hex(CHAIN_ID)
      case 'eth_blockNumber':
        if (fault === 'low') return hex(this.random(3))
        return hex(blocks.length - 1 + (fault === 'a high head' ? 1000 : 0))
      case 'eth_getBlockByNumber':
        return this.header(params[0] === 'latest' ? this.newest(blocks) : blocks[Number(params[0])])
      case 'eth_getLogs':
        return this.logs(blocks, params[0] as Filter)
      default:
        return new Error('refused')
    }
  }

  private newest(blocks: readonly ScriptedBlock[]): ScriptedBlock | undefined {
    const head = blocks.at(-1)
    return head && this.fault === 'a high head' ? { ...head, number: head.number + 1000 } : head
  }

  private blocks(): readonly ScriptedBlock[] {
    if (this.fault === 'mixes moments') return this.someMoment()
    if (this.fault === 'stale') return this.stale
    const { blocks } = this.chain
    if (this.fault === 'lags') return blocks.slice(0, Math.max(1, blocks.length - 3))
    return this.fault === 'half' ? blocks.slice(0, Math.ceil(blocks.length / 2)) : blocks
  }

  private header(block: ScriptedBlock | undefined): unknown {
    if (!block || this.fault === 'knows nothing' || this.fault === 'low') return null
    const { number, time, parent, bloom, logs } = block
    const hash = this.fault === 'forged blocks' ? `0x${block.hash.slice(2).split('').reverse().join('')}` : block.hash
    const transactions = logs.map(({ transactionHash }) => transactionHash)
    const header = {
      number: hex(number),
      timestamp: hex(time),
      hash,
      parentHash: parent,
      logsBloom: bloom,
      transactions,
    }
    return this.fault === 'no hashes' ? { ...header, hash: undefined } : header
  }

  private logs(blocks: readonly ScriptedBlock[], { fromBlock, toBlock, blockHash, address, topics }: Filter): unknown {
    const { fault } = this
    const [first, last] = [Number(fromBlock ?? 0), Number(toBlock ?? blocks.length)]
    if (fault === 'refuses' && last - first >= 2 && !blockHash) return new Error('range too large')
    const events = new Set([topics?.[0] ?? []].flat())
    const emitters = address && new Set([address].flat().map((one) => one.toLowerCase()))
    const some = blockHash ? blocks.filter(({ hash }) => hash === blockHash) : blocks.slice(first, last + 1)
    if (blockHash && some.length === 0) return new UnknownBlock()
    const indexed = fault === 'mixes moments' ? new Set(this.someMoment().map(({ hash }) => hash)) : undefined
    const all = some
      .filter(({ hash }) => indexed?.has(hash) ?? true)
      .flatMap(({ logs }) => logs)
      .filter((log) => events.has(log.topics[0] ?? '') && (!emitters || emitters.has(log.address.toLowerCase())))
    if (fault === 'repeats') return all.flatMap((log) => (this.random(3) === 0 ? [log, log] : [log]))
    if (fault === 'no events') return []
    if (fault === 'events left out') return all.filter(() => this.random(3) > 0)
    return fault === 'forged events' ? all.map((log): ScriptedLog => ({ ...log, data: `0x${'00'.repeat(64)}` })) : all
  }
}

interface Filter {
  fromBlock?: string
  toBlock?: string
  blockHash?: string
  address?: string | string[]
  topics?: (string | string[])[]
}

/** The node has no block with this hash. */
class UnknownBlock extends Error {}

/** Milliseconds by which the parts of an address that mixes moments are late. */
const LAGS = [0, 0, 0, 2000, 5000, 20_000]

const REFUSED = { code: -32005, message: 'refused' }
const UNKNOWN_BLOCK = { code: -32000, message: 'unknown block' }
const errorOf = (error: Error) => (error instanceof UnknownBlock ? UNKNOWN_BLOCK : REFUSED)
const GARBAGE: unknown[] = [null, undefined, 7, 'x', '0x', [], {}, [null], [{}], { hash: null }, '0xffffffffffffffffff']
