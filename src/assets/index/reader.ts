import { setMaxListeners } from 'node:events'
import { type Address, formatLog, type Hex, type Log, type PublicClient, type RpcLog } from 'viem'
import type { Chain } from '../../chain/chains.js'
import { refusal } from '../../chain/failures.js'
import { ChainError } from '../../errors.js'
import type { Cursor, IndexGeneration } from '../../state/store.js'
import { readBlockInParts } from './block-parts.js'
import { type Deployed, Emitters, TOPICS } from './emitters.js'
import { type Header, headerOf, hex } from './headers.js'

/** The trusted events of a range of blocks, and the cursor at its end. */
export interface BlockRange {
  logs: Log[]
  cursor: Cursor
  /** Number of untrusted events, which were dropped. */
  others: number
  /** Characters that all of its events took, about. */
  size: number
  /** What was deployed in this range. */
  deployed: Deployed
  /** NFTs with unreadable events in this range. */
  unread: Address[]
  /** Why the block was read in parts; undefined where it was not. */
  inParts?: string
}

/** A range of blocks to read, by number, inclusive. */
export interface WantedRange {
  first: number
  last: number
  /** The block that the range must follow. */
  after: Cursor | undefined
  /** First block that is not final. */
  firstNonFinal: number
}

/** The nodes are reachable, but refuse so many blocks or events at once. */
export class RangeRefused extends ChainError {
  constructor(readonly reason: string) {
    super('CHAIN_UNAVAILABLE', `No node gives the events of these blocks: one ${reason}.`)
  }

  /** A time-out or a fault of a proxy may be for the size, or not. */
  get failure(): 'refused' | 'timeout' {
    return /in time|50\d/.test(this.reason) ? 'timeout' : 'refused'
  }
}

/**
 * Reads the indexed events of a range from one node that has all of its blocks and the one before; reads a single block
 * in parts where every node refuses it. Undefined where no node has them: they lag, or the chain was reorganised. Throws
 * RangeRefused, ChainError, StateError.
 */
export async function readRange(
  chain: Chain,
  wanted: WantedRange,
  index: IndexGeneration,
): Promise<BlockRange | undefined> {
  try {
    return await readFromNodes(chain, wanted, index, false)
  } catch (error) {
    if (!(error instanceof RangeRefused) || wanted.first < wanted.last) throw error
    const range = await readFromNodes(chain, wanted, index, true)
    return range && { ...range, inParts: error.reason }
  }
}

/** Tries one node after the other. */
async function readFromNodes(chain: Chain, wanted: WantedRange, index: IndexGeneration, inParts: boolean) {
  let storeError: unknown
  const store = observeErrors(index, (error) => {
    storeError = error
  })
  const read = (client: PublicClient) => rangeFrom(client, chain, wanted, store, inParts)
  const agreeOn = (range: BlockRange | undefined) => range && [range.cursor, range.unread, range.logs.map(quorumFields)]
  return askForRange(chain, read, agreeOn).catch((error) => {
    // an error of the store is not a failure of the nodes
    throw storeError ?? error
  })
}

/** The store's look-ups, which report their errors to a callback. */
function observeErrors(
  index: IndexGeneration,
  onError: (error: unknown) => void,
): Pick<IndexGeneration, 'known' | 'emitters'> {
  const report = (error: unknown): never => {
    onError(error)
    throw error
  }
  return {
    known: (...args) => index.known(...args).catch(report),
    emitters: (...args) => index.emitters(...args).catch(report),
  }
}

/** All events of a range of final blocks, as a node returned them: their emitters may be anybody. */
export interface RawRange {
  logs: RpcLog[]
  /** Characters that they take, about. */
  size: number
  times: Map<Hex, bigint>
  /** The last block. */
  end: Cursor
  /** Hash of the block before the first one; undefined where there is none. */
  before: Hex | undefined
}

/** Characters of an event beside its data. */
const EVENT_SIZE = 512

const sizeOf = (logs: readonly RpcLog[]): number => logs.reduce((sum, { data }) => sum + EVENT_SIZE + data.length, 0)

/**
 * Requests a range of final blocks without judging its events, so that it can be done before the blocks before it are
 * applied. Undefined where no node has them. Throws RangeRefused, ChainError; where the signal aborts it, any error.
 */
export function fetchRange(
  chain: Chain,
  first: number,
  last: number,
  aborted: AbortSignal,
): Promise<RawRange | undefined> {
  const read = async (client: PublicClient): Promise<RawRange | undefined> => {
    // the library batches the requests of a signal among themselves: so each range is a batch of its own. Its time-out
    // does not end requests that have a signal
    const signal = AbortSignal.any([aborted, AbortSignal.timeout(chain.nodes.timeout)])
    // each request of a range listens
    setMaxListeners(0, signal)
    const [logs, end, before] = await Promise.all([
      eventsOf(client, first, last, signal),
      headerOf(client, last, signal),
      first > 0 ? headerOf(client, first - 1, signal) : undefined,
    ])
    const times = end && (await timesOf(client, chain, logs, end, last + 1, signal))
    return times && { logs, size: sizeOf(logs), times, end: { block: last, hash: end.hash }, before: before?.hash }
  }
  const agreeOn = (range: RawRange | undefined) => range && [range.end, range.before, range.logs.map(quorumFields)]
  return askForRange(chain, read, agreeOn)
}

/** Asks one node after the other for a range. Undefined where no node has it. Throws RangeRefused, ChainError. */
export async function askForRange<R>(
  chain: Chain,
  read: (client: PublicClient) => Promise<R | undefined>,
  agreeOn: (range: R | undefined) => unknown,
): Promise<R | undefined> {
  let refused: string | undefined
  const observed = (client: PublicClient) =>
    read(client).catch((error: unknown) => {
      refused ??= refusal(error)
      throw error
    })
  const range = await chain.nodes
    .ask(observed, { accept: (answer) => answer !== undefined, agreeOn, unhedged: true })
    .catch((error) => {
      throw refused === undefined ? error : new RangeRefused(refused)
    })
  // another node lags, but one that has the blocks refused them
  if (!range && refused !== undefined) throw new RangeRefused(refused)
  return range
}

/**
 * The trusted events of a range that was read ahead. Contracts that were deployed before must be in the store, or among
 * `uncommitted`: those of a range whose last commit is under way. Throws StateError.
 */
export async function trustedRange(
  chain: Chain,
  range: RawRange,
  index: IndexGeneration,
  uncommitted?: Deployed,
): Promise<BlockRange> {
  const emitters = new Emitters(chain, index, uncommitted)
  const trusted = await emitters.believed(range.logs)
  return {
    logs: trusted.map((log) => timed(log, range.times)),
    cursor: range.end,
    others: range.logs.length - trusted.length,
    size: range.size,
    deployed: emitters.deployed,
    unread: [],
  }
}

/** The fields of an event that a quorum of nodes must agree on. */
export const quorumFields = ({
  address,
  topics,
  data,
  blockHash,
}: Pick<Log, 'address' | 'topics' | 'data' | 'blockHash'>) => [address, topics, data, blockHash]

const timed = (log: RpcLog, times: ReadonlyMap<Hex, bigint>) =>
  ({ ...formatLog(log), blockTimestamp: times.get(log.blockHash as Hex) as bigint }) as Log

async function rangeFrom(
  client: PublicClient,
  chain: Chain,
  { first, last, after, firstNonFinal }: WantedRange,
  index: Pick<IndexGeneration, 'known' | 'emitters'>,
  inParts: boolean,
): Promise<BlockRange | undefined> {
  const emitters = new Emitters(chain, index)
  // one batch, so that one node serves all of it: another one might lack the blocks and return no events
  const [all, end, before] = await Promise.all([
    inParts ? undefined : eventsOf(client, first, last),
    headerOf(client, last),
    after && headerOf(client, after.block),
  ])
  if (!end || (after && before?.hash !== after.hash)) return undefined
  const { logs: raw, unread } = all
    ? { logs: await emitters.believed(all), unread: [] }
    : await readBlockInParts({ client, chain, emitters, index }, end.hash)
  const times = await timesOf(client, chain, raw, end, firstNonFinal)
  if (!times) return undefined
  return {
    logs: raw.map((log) => timed(log, times)),
    cursor: { block: last, hash: end.hash },
    others: all ? all.length - raw.length : 0,
    size: sizeOf(all ?? raw),
    deployed: emitters.deployed,
    unread,
  }
}

async function eventsOf(client: PublicClient, first: number, last: number, signal?: AbortSignal): Promise<RpcLog[]> {
  const topics = [Object.values(TOPICS).flat()]
  // the raw request: the typed one cannot express "any of these events, from any contract"
  const filter = { fromBlock: hex(first), toBlock: hex(last), topics }
  return (await client.request({ method: 'eth_getLogs', params: [filter] }, { signal })) as RpcLog[]
}

/** The times of the events' blocks; undefined where a block was replaced meanwhile. */
async function timesOf(
  client: PublicClient,
  chain: Chain,
  raw: RpcLog[],
  end: Header,
  firstNonFinal: number,
  signal?: AbortSignal,
): Promise<Map<Hex, bigint> | undefined> {
  const times = new Map([[end.hash, end.time]])
  const factory = chain.deployment.factory.toLowerCase()
  const toCheck = new Map<number, Hex>()
  for (const { address, blockNumber, blockHash, blockTimestamp } of raw as (RpcLog & { blockTimestamp?: Hex })[]) {
    const number = Number(blockNumber)
    if (blockTimestamp) times.set(blockHash as Hex, BigInt(blockTimestamp))
    // older nodes omit times, which deployments need; and blocks that are not final are checked again
    const untimed = address.toLowerCase() === factory && !blockTimestamp
    if (untimed || number >= firstNonFinal) toCheck.set(number, blockHash as Hex)
  }
  const headers = await Promise.all([...toCheck].map(([number]) => headerOf(client, number, signal)))
  for (const [at, [, hash]] of [...toCheck].entries()) {
    const header = headers[at]
    if (header?.hash !== hash) return undefined
    times.set(hash, header.time)
  }
  return times
}
