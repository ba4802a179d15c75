import { type Address, formatLog, getAddress, type Hex, type Log, type PublicClient, type RpcLog } from 'viem'
import type { Chain } from '../../chain/chains.js'
import { refusal } from '../../chain/failures.js'
import { ChainError } from '../../errors.js'
import type { Cursor, IndexReading } from '../../state/store.js'
import { Emitters, TOPICS } from './emitters.js'
import { type Header, headerOf, hex } from './headers.js'
import { blockInParts } from './parts.js'

/** The events of a range of blocks that count, and the block that it ends with. */
export interface BlockRange {
  logs: Log[]
  cursor: Cursor
  /** How many events there were that count for nothing. */
  others: number
  /** NFTs with events in this range that cannot be had. */
  unread: Address[]
  /** Why the block was read in parts. */
  inParts?: string
}

/** Which blocks to read, by number, inclusive. */
export interface WantedRange {
  first: number
  last: number
  /** The block that they must follow. */
  after: Cursor | undefined
  /** First block that may still be replaced by another one. */
  fragileFrom: number
}

/** The nodes can be reached, and do not give so many blocks, or so much of them. */
export class RangeRefused extends ChainError {
  constructor(readonly reason: string) {
    super('CHAIN_UNAVAILABLE', `No node gives the events of these blocks: one ${reason}.`)
  }
}

/**
 * Reads the index's events of a range from one node that has all of its blocks, and the one before; a single block that
 * no node gives at once in parts. Undefined where no node is like that: it lags, or the chain is another one by now.
 * Throws RangeRefused, ChainError, StateError.
 */
export async function readRange(
  chain: Chain,
  wanted: WantedRange,
  index: IndexReading,
): Promise<BlockRange | undefined> {
  try {
    return await asked(chain, wanted, index, false)
  } catch (error) {
    if (!(error instanceof RangeRefused) || wanted.first < wanted.last) throw error
    const range = await asked(chain, wanted, index, true)
    return range && { ...range, inParts: error.reason }
  }
}

/** Asks one node after the other. */
async function asked(chain: Chain, wanted: WantedRange, index: IndexReading, inParts: boolean) {
  let refused: string | undefined
  let fault: unknown
  const store = faultsOf(index, (error) => {
    fault = error
  })
  const read = async (client: PublicClient) => {
    try {
      return await rangeFrom(client, chain, wanted, store, inParts)
    } catch (error) {
      refused ??= refusal(error)
      throw error
    }
  }
  const essence = (range: BlockRange | undefined) =>
    range && [
      range.cursor,
      range.unread,
      range.logs.map(({ address, topics, data, blockHash }) => [address, topics, data, blockHash]),
    ]
  const range = await chain.nodes
    .ask(read, { accept: (answer) => answer !== undefined, essence, patient: true })
    .catch((error) => {
      // the store is no part of a node, whose answers are asked for
      throw fault ?? (refused === undefined ? error : new RangeRefused(refused))
    })
  // another node lags, which says nothing of the one that has the blocks
  if (!range && refused !== undefined) throw new RangeRefused(refused)
  return range
}

/** The store, telling what its look-ups throw. */
function faultsOf(index: IndexReading, tell: (error: unknown) => void): Pick<IndexReading, 'known' | 'emitters'> {
  const told = (error: unknown): never => {
    tell(error)
    throw error
  }
  return {
    known: (...args) => index.known(...args).catch(told),
    emitters: (...args) => index.emitters(...args).catch(told),
  }
}

async function rangeFrom(
  client: PublicClient,
  chain: Chain,
  { first, last, after, fragileFrom }: WantedRange,
  index: Pick<IndexReading, 'known' | 'emitters'>,
  inParts: boolean,
): Promise<BlockRange | undefined> {
  const emitters = new Emitters(chain, index)
  // one request, so that one node answers all of it: another one might not have the blocks yet and say "no events"
  const [all, end, before] = await Promise.all([
    inParts ? undefined : eventsOf(client, first, last),
    headerOf(client, last),
    after && headerOf(client, after.block),
  ])
  if (!end || (after && before?.hash !== after.hash)) return undefined
  const { logs: raw, unread } = all
    ? { logs: await emitters.believed(all), unread: [] }
    : await blockInParts({ client, chain, emitters, index }, end.hash)
  const times = await timesOf(client, chain, raw, end, fragileFrom)
  if (!times) return undefined
  const logs = raw.map((log) => ({ ...formatLog(log), blockTimestamp: times.get(log.blockHash as Hex) as bigint }))
  const others = all ? all.length - raw.length : 0
  return { logs: logs as Log[], cursor: { block: last, hash: end.hash }, others, unread }
}

async function eventsOf(client: PublicClient, first: number, last: number): Promise<RpcLog[]> {
  const topics = [Object.values(TOPICS).flat()]
  // the plain call: the typed one has no form for "any of these events, from anywhere"
  const filter = { fromBlock: hex(first), toBlock: hex(last), topics }
  return (await client.request({ method: 'eth_getLogs', params: [filter] })) as RpcLog[]
}

/** The times of the blocks of some events; undefined where one of them was replaced while they were read. */
async function timesOf(
  client: PublicClient,
  chain: Chain,
  raw: RpcLog[],
  end: Header,
  fragileFrom: number,
): Promise<Map<Hex, bigint> | undefined> {
  const times = new Map([[end.hash, end.time]])
  const factory = chain.deployment.factory
  const asked = new Map<number, Hex>()
  for (const { address, blockNumber, blockHash, blockTimestamp } of raw as (RpcLog & { blockTimestamp?: Hex })[]) {
    const number = Number(blockNumber)
    if (blockTimestamp) times.set(blockHash as Hex, BigInt(blockTimestamp))
    // older nodes do not tell times, which deployments need; and what may be replaced is looked at once more
    const untimed = getAddress(address) === factory && !blockTimestamp
    if (untimed || number >= fragileFrom) asked.set(number, blockHash as Hex)
  }
  const headers = await Promise.all([...asked].map(([number]) => headerOf(client, number)))
  for (const [at, [, hash]] of [...asked].entries()) {
    const header = headers[at]
    if (header?.hash !== hash) return undefined
    times.set(hash, header.time)
  }
  return times
}
