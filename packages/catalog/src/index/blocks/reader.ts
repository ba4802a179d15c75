import type { Chain, NodeAbilities } from '@tidegate/chain'
import type { Address, Hex, Log, PublicClient, RpcLog } from 'viem'
import type { Cursor, IndexGeneration } from '../index-store.js'
import { readBlockInParts } from './block-parts.js'
import { type DeployedContracts, Emitters } from './emitters.js'
import { headerOf } from './headers.js'
import { namedEventsOf } from './named-events.js'
import { askForRange, eventsOf, quorumFields, RangeRefused, sizeOf, timed, timesOf } from './requests.js'

/** The trusted events of a range of blocks, and the cursor at its end. */
export interface BlockRange {
  logs: Log[]
  cursor: Cursor
  /** Number of untrusted events, which were dropped. */
  others: number
  /** Characters that all of its events took, about. */
  size: number
  /** The block before the first one, if the index has no cursor yet. */
  before?: Cursor | undefined
  /** What was deployed in this range. */
  deployed: DeployedContracts
  /** NFTs with unreadable events in this range. */
  unread: Address[]
  /** Why the block was read in parts; undefined if it was not. */
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

/**
 * Reads the indexed events of a range from one node that has all of its blocks and the one before; reads a single block
 * in parts where every node refuses it. Undefined if no node has them: they lag, or the chain was reorganised. Throws
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
  const read = (client: PublicClient, abilities: NodeAbilities) =>
    rangeFrom({ client, chain, abilities }, wanted, store, inParts)
  const agreeOn = (range: BlockRange | undefined) => range && [range.cursor, range.unread, range.logs.map(quorumFields)]
  return askForRange(chain, read, agreeOn, gives(wanted)).catch((error) => {
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
  first: number
  logs: RpcLog[]
  /** Characters that they take, about. */
  size: number
  times: Map<Hex, bigint>
  /** The last block. */
  end: Cursor
  /** Hash of the block before the first one; undefined if there is none. */
  before: Hex | undefined
}

/**
 * Requests a range of final blocks without judging its events, so that it can be done before the blocks before it are
 * applied. Undefined if no node has them. Throws RangeRefused, ChainError; where the signal aborts it, any error.
 */
export function fetchRange(
  chain: Chain,
  first: number,
  last: number,
  signal: AbortSignal,
): Promise<RawRange | undefined> {
  const read = async (client: PublicClient, abilities: NodeAbilities): Promise<RawRange | undefined> => {
    // contracts that earlier ranges deploy are not known yet
    if (abilities.logs.needsAddress) return undefined
    // requests of one signal are batched among themselves: so each range is a batch of its own
    const [logs, end, before] = await Promise.all([
      eventsOf({ client, chain, abilities }, first, last, signal),
      headerOf(client, last, signal),
      first > 0 ? headerOf(client, first - 1, signal) : undefined,
    ])
    const times = end && (await timesOf(client, chain, logs, end, last + 1, signal))
    return (
      times && { first, logs, size: sizeOf(logs), times, end: { block: last, hash: end.hash }, before: before?.hash }
    )
  }
  const agreeOn = (range: RawRange | undefined) => range && [range.end, range.before, range.logs.map(quorumFields)]
  return askForRange(chain, read, agreeOn, gives({ first, last }))
}

/**
 * The trusted events of a range that was read ahead. Contracts that were deployed before must be in the store, or among
 * `uncommitted`: those of a range whose last commit is under way. Throws StateError.
 */
export async function trustedRange(
  chain: Chain,
  range: RawRange,
  index: IndexGeneration,
  uncommitted?: DeployedContracts,
): Promise<BlockRange> {
  const emitters = new Emitters(chain, index, uncommitted)
  const trusted = await emitters.trusted(range.logs)
  return {
    logs: trusted.map((log) => timed(log, range.times)),
    cursor: range.end,
    others: range.logs.length - trusted.length,
    size: range.size,
    before: range.before && { block: range.first - 1, hash: range.before },
    deployed: emitters.deployed,
    unread: [],
  }
}

/** Whether a node is likely to give the events of so many blocks. */
const gives =
  ({ first, last }: Pick<WantedRange, 'first' | 'last'>) =>
  ({ logs }: NodeAbilities) =>
    logs.canGive(last - first + 1)

async function rangeFrom(
  source: { client: PublicClient; chain: Chain; abilities: NodeAbilities },
  { first, last, after, firstNonFinal }: WantedRange,
  index: Pick<IndexGeneration, 'known' | 'emitters'>,
  inParts: boolean,
): Promise<BlockRange | undefined> {
  const { client, chain, abilities } = source
  const emitters = new Emitters(chain, index)
  const named = !inParts && abilities.logs.needsAddress
  // one batch, so that one node serves all of it: another one might lack the blocks and return no events
  const [all, end, before] = await Promise.all([
    inParts || named ? undefined : eventsOf(source, first, last),
    headerOf(client, last),
    after || first > 0 ? headerOf(client, after?.block ?? first - 1) : undefined,
  ])
  if (!end || (after && before?.hash !== after.hash)) return undefined
  const reader = { client, chain, emitters, index }
  const parts = named
    ? { logs: await namedEventsOf(reader, { first, last }, end), unread: [] }
    : all
      ? { logs: await emitters.trusted(all), unread: [] }
      : await readBlockInParts(reader, end.hash)
  const { logs: raw, unread } = parts
  const times = raw && (await timesOf(client, chain, raw, end, firstNonFinal))
  if (!times) return undefined
  return {
    logs: raw.map((log) => timed(log, times)),
    cursor: { block: last, hash: end.hash },
    others: all ? all.length - raw.length : 0,
    size: sizeOf(all ?? raw),
    before: after || !before ? undefined : { block: first - 1, hash: before.hash },
    deployed: emitters.deployed,
    unread,
  }
}
