import { setTimeout as sleep } from 'node:timers/promises'
import { formatLog, type Log, type PublicClient, padHex, type RpcLog } from 'viem'
import { BOUNDS } from '../../../bounds.js'
import type { Chain } from '../../../chain/chains.js'
import { ChainError } from '../../../errors.js'
import type { Address, Hex } from '../../../hex.js'
import type { Cursor } from '../../../state/store.js'
import { TOPICS } from '../emitters.js'
import { headerOf, hex } from '../headers.js'
import { askForRange, quorumFields, RangeRefused } from '../requests.js'

const [NFT_CREATED, TOKEN_CREATED] = TOPICS.factory as [Hex, Hex]

/** A filter of eth_getLogs, without its blocks. */
interface Filter {
  address: Address | Address[]
  topics: (Hex | Hex[])[]
}

const NO_BLOCK = 'No blockchain node has the blocks of the file.'

/** Too many requests would be needed: the nodes give too few blocks at once. */
export class TooManyRanges extends Error {}

/** Reads events of some contracts from the chain, up to the checkpoint of a file. Every method throws ChainError. */
export class ContractEvents {
  private readonly times = new Map<number, Promise<bigint>>()
  /** Blocks to request at once: what the nodes gave so far. */
  private size = Number.POSITIVE_INFINITY
  private requests = 0
  private inFlight = 1

  /** `maxRequests`: for the events over ranges of blocks, in all. */
  constructor(
    private readonly chain: Chain,
    private readonly checkpoint: Cursor,
    private readonly maxRequests: number,
  ) {}

  /**
   * The deployments of NFTs by the factory in the blocks of a time (ISO 8601): a file does not say in which. `first` is
   * the first of these blocks.
   */
  async deploymentsAt(created: string): Promise<{ first: number; logs: Log[] }> {
    const time = BigInt(Date.parse(created) / 1000)
    const first = await this.firstBlock((at) => at >= time)
    const last = (await this.firstBlock((at) => at > time)) - 1
    if (first > last) return { first, logs: [] }
    const filter = { address: this.chain.deployment.factory, topics: [NFT_CREATED] }
    const logs: Log[] = []
    for await (const some of this.inRanges([filter], first, last)) logs.push(...some)
    return { first, logs: logs.map((log) => ({ ...log, blockTimestamp: time }) as Log) }
  }

  /** The metadata events of an NFT in one block. */
  metadataIn(nft: Address, block: number): Promise<Log[]> {
    return this.request([metadataOf([nft])], block, block)
  }

  /**
   * All events of some NFTs and datatokens from a block on, without the deployments of the NFTs, in their order and in
   * several lists. None where no contract is named. Throws TooManyRanges.
   */
  async *of(nfts: Address[], datatokens: Address[], from: number): AsyncGenerator<Log[]> {
    const { factory } = this.chain.deployment
    const filters: Filter[] = []
    // without an address, a filter is for all
    if (nfts.length > 0) filters.push(metadataOf(nfts))
    if (datatokens.length > 0) {
      filters.push({
        address: factory,
        topics: [TOKEN_CREATED, datatokens.map((address) => padHex(address.toLowerCase() as Hex))],
      })
      filters.push({ address: datatokens, topics: [[...TOPICS.datatoken]] })
    }
    if (filters.length > 0) yield* this.inRanges(filters, from, this.checkpoint.block, this.maxRequests)
  }

  /** Events of blocks, in ranges of as many as the nodes give: several concurrently when it is known how many those are. */
  private async *inRanges(filters: Filter[], from: number, to: number, maxRequests = Number.POSITIVE_INFINITY) {
    let ahead: { last: number; logs: Promise<Log[] | Error> }[] = []
    for (let first = from; first <= to; ) {
      const left = Math.ceil((to - first + 1) / Math.min(this.size, to - first + 1))
      if (this.requests + left > maxRequests) throw new TooManyRanges()
      for (let next = ahead.at(-1)?.last ?? first - 1; next < to && ahead.length < this.inFlight; ) {
        const last = Math.min(to, next + this.size)
        ahead.push({ last, logs: this.request(filters, next + 1, last).catch((error: Error) => error) })
        next = last
      }
      const { last, logs } = ahead.shift() as (typeof ahead)[number]
      const found = await logs
      if (found instanceof Error) {
        if (!(found instanceof RangeRefused) || first === last) throw found
        ahead = []
        this.size = Math.min(this.size, Math.ceil((last - first + 1) / 2))
        this.inFlight = 1
        continue
      }
      yield found
      first = last + 1
      this.inFlight = BOUNDS.indexFile.rangesAtOnce
      if (maxRequests !== Number.POSITIVE_INFINITY) this.requests += 1
    }
  }

  /** The events of a few blocks, from a node that has the checkpoint: one that lags would give none. */
  private async request(filters: Filter[], first: number, last: number): Promise<Log[]> {
    const { block, hash } = this.checkpoint
    const read = async (client: PublicClient): Promise<RpcLog[] | undefined> => {
      const blocks = { fromBlock: hex(first), toBlock: hex(last) }
      // one batch, so that one node serves all of it
      const [header, ...logs] = await Promise.all([
        headerOf(client, block),
        ...filters.map((filter) =>
          client.request({ method: 'eth_getLogs', params: [{ ...filter, ...blocks } as never] }),
        ),
      ])
      return header?.hash === hash ? (logs.flat() as RpcLog[]) : undefined
    }
    const ask = () => askForRange(this.chain, read, (logs) => logs?.map(quorumFields))
    // a node that answers too late refuses as well; less than one block cannot be asked for
    const found = await retryWhileUnavailable(ask, (error) => !(error instanceof RangeRefused) || first === last)
    if (!found) throw new ChainError('CHAIN_UNAVAILABLE', NO_BLOCK)
    return found.map((log) => formatLog(log) as Log).sort(inOrder)
  }

  /** The first block whose time satisfies a condition that holds from there on; the one after the checkpoint if none does. */
  private async firstBlock(condition: (time: bigint) => boolean): Promise<number> {
    let [low, high] = [this.chain.deployment.startBlock, this.checkpoint.block + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (condition(await this.timeOf(middle))) high = middle
      else low = middle + 1
    }
    return low
  }

  private timeOf(block: number): Promise<bigint> {
    const known = this.times.get(block)
    if (known) return known
    const read = () =>
      this.chain.nodes.ask((client) => headerOf(client, block), { accept: (header) => header !== undefined })
    const time = retryWhileUnavailable(read).then((header) => {
      if (header) return header.time
      throw new ChainError('CHAIN_UNAVAILABLE', NO_BLOCK)
    })
    // the first steps of all searches are the same
    if (this.times.size < BOUNDS.indexFile.ranges) this.times.set(block, time)
    return time
  }
}

/** Retries with exponential backoff while no node answers, since a failure would start the whole check again. */
async function retryWhileUnavailable<T>(work: () => Promise<T>, isPassing = (_: ChainError) => true): Promise<T> {
  const { retries, firstBackoff } = BOUNDS.indexFile
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ChainError) || !isPassing(error) || attempt === retries) throw error
      await sleep(firstBackoff * 2 ** attempt)
    }
  }
}

function metadataOf(nfts: Address[]): Filter {
  return { address: nfts, topics: [[...TOPICS.nft]] }
}

function inOrder(a: Log, b: Log): number {
  return Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex)
}
