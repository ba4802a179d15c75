import { type Chain, lacksBlock, type NodeAbilities } from '@tidegate/chain'
import type { Address, Hex, Log, PublicClient, RpcLog } from 'viem'
import type { Cursor, IndexGeneration } from '../index-store.js'
import { readBlockInParts } from './block-parts.js'
import { type DeployedContracts, Emitters } from './emitters.js'
import { type Header, headerOf } from './headers.js'
import { namedEventsOf } from './named-events.js'
import { type NewestBlocks, type NewestEvents, newestEvents } from './newest.js'
import { askForRange, eventsOf, quorumFields, RangeRefused, sizeOf, timed, timesOf } from './requests.js'

/** The trusted events of a range of blocks, and the cursor at its end. */
export interface BlockRange {
  logs: Log[]
  cursor: Cursor
  /** Time of the last block, in seconds since 1970. */
  time: bigint
  /** Number of untrusted events, which were dropped. */
  others: number
  /** Approximate characters of all events. */
  size: number
  /** The block before the first one, if the index has no cursor yet. */
  before?: Cursor | undefined
  /** Contracts that were deployed in this range. */
  deployed: DeployedContracts
  /** NFTs with unreadable events in this range. */
  unread: Address[]
  /** The reason for reading the block in parts; undefined if it was read as a whole. */
  inParts?: string
  /** Newest blocks without events by their bloom, and those that may have more events than were read. */
  evidence?: { empty: number[]; open: number[] }
}

/** A range of blocks to read, by number, inclusive. */
export interface WantedRange {
  first: number
  last: number
  /** The block that the range must follow. */
  after: Cursor | undefined
  firstNonFinal: number
  /** Given for newest blocks, which are read by their hashes. */
  newest?: NewestBlocks | undefined
}

/**
 * Reads the indexed events of a range from one node that has all of its blocks and the block before. Reads a single block in parts if
 * all nodes refuse it. Newest blocks may end earlier than wanted. Undefined if no node has the blocks: the nodes lag, or the chain was
 * reorganised. `late` if a node has the first block, and not yet its events.
 * @throws RangeRefused, ChainError, StateError
 */
export async function readRange(
  chain: Chain,
  wanted: WantedRange,
  index: Lookups,
): Promise<BlockRange | 'late' | undefined> {
  try {
    return await readFromNodes(chain, wanted, index, false)
  } catch (error) {
    if (!(error instanceof RangeRefused) || wanted.first < wanted.last) throw error
    const range = await readFromNodes(chain, wanted, index, true)
    return typeof range === 'object' ? { ...range, inParts: error.reason } : range
  }
}

/** The look-ups in the index that decide which events are trusted. */
type Lookups = Pick<IndexGeneration, 'known' | 'emitters'>

async function readFromNodes(chain: Chain, wanted: WantedRange, index: Lookups, inParts: boolean) {
  let storeError: unknown
  const store = observeErrors(index, (error) => {
    storeError = error
  })
  const read = (client: PublicClient, abilities: NodeAbilities) =>
    rangeFrom({ client, chain, abilities }, wanted, store, inParts)
  const agreeOn = (range: BlockRange | 'late' | undefined) =>
    typeof range === 'object' && [range.cursor, range.unread, range.logs.map(quorumFields)]
  return askForRange(chain, read, agreeOn, gives(wanted)).catch((error) => {
    // reports an error of the store instead of a failure of the nodes
    throw storeError ?? error
  })
}

/** Returns the store's look-ups, with a callback for their errors. */
function observeErrors(index: Lookups, onError: (error: unknown) => void): Lookups {
  const report = (error: unknown): never => {
    onError(error)
    throw error
  }
  return {
    known: (...args) => index.known(...args).catch(report),
    emitters: (...args) => index.emitters(...args).catch(report),
  }
}

/** All events of a range of final blocks, of trusted and untrusted emitters. */
export interface RawRange {
  first: number
  logs: RpcLog[]
  /** Approximate characters of the logs. */
  size: number
  times: Map<Hex, bigint>
  /** The last block. */
  end: Cursor
  /** Time of the last block, in seconds since 1970. */
  time: bigint
  /** Hash of the block before the first one; undefined if there is none. */
  before: Hex | undefined
}

/**
 * Requests a range of final blocks with untrusted events, so that earlier blocks need not be applied yet. Undefined if no node has the
 * blocks.
 * @throws RangeRefused, ChainError; if the signal aborts it, any error
 */
export function fetchRange(
  chain: Chain,
  first: number,
  last: number,
  signal: AbortSignal,
): Promise<RawRange | undefined> {
  const read = async (client: PublicClient, abilities: NodeAbilities): Promise<RawRange | undefined> => {
    // the contracts of earlier ranges are not known yet
    if (abilities.logs.needsAddress) return undefined
    // requests with one signal are batched, so each range is a separate batch
    const [logs, end, before] = await Promise.all([
      eventsOf({ client, chain, abilities }, first, last, signal),
      headerOf(client, last, signal),
      first > 0 ? headerOf(client, first - 1, signal) : undefined,
    ])
    const times = end && (await timesOf(client, chain, logs, end, last + 1, signal))
    return (
      times && {
        ...{ first, logs, size: sizeOf(logs), times, time: end.time },
        ...{ end: { block: last, hash: end.hash }, before: before?.hash },
      }
    )
  }
  const agreeOn = (range: RawRange | undefined) => range && [range.end, range.before, range.logs.map(quorumFields)]
  return askForRange(chain, read, agreeOn, gives({ first, last }))
}

/**
 * Selects the trusted events of a range that was read ahead. Contracts of earlier ranges must be in the store or in `uncommitted`.
 * Throws StateError.
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
    time: range.time,
    others: range.logs.length - trusted.length,
    size: range.size,
    before: range.before && { block: range.first - 1, hash: range.before },
    deployed: emitters.deployed,
    unread: [],
  }
}

/** Whether a node is likely to return the events of so many blocks. */
const gives =
  ({ first, last }: Pick<WantedRange, 'first' | 'last'>) =>
  ({ logs }: NodeAbilities) =>
    logs.canGive(last - first + 1)

async function rangeFrom(
  source: { client: PublicClient; chain: Chain; abilities: NodeAbilities },
  { first, last, after, firstNonFinal, newest }: WantedRange,
  index: Lookups,
  inParts: boolean,
): Promise<BlockRange | 'late' | undefined> {
  const { client, chain, abilities } = source
  const emitters = new Emitters(chain, index)
  if (newest && !inParts && !abilities.logs.needsAddress) {
    const events = await newestEvents(source, { first, last, after }, newest)
    if (events !== 'unprovable') return typeof events === 'object' ? newestRange(events, emitters, !after) : events
  }
  const named = !inParts && abilities.logs.needsAddress
  // one batch, so that one node serves all of it: another node might lack the blocks and return no events
  const [all, end, before] = await Promise.all([
    inParts || named ? undefined : eventsOf(source, first, last),
    headerOf(client, last),
    after || first > 0 ? headerOf(client, after?.block ?? first - 1) : undefined,
  ])
  if (!end || (after && before?.hash !== after.hash)) return undefined
  // of another fork than the header
  if (all?.some((log) => Number(log.blockNumber) === last && log.blockHash !== end.hash)) return undefined
  const reader = { client, chain, emitters, index }
  const parts = named
    ? { logs: await namedEventsOf(reader, { first, last }, end), unread: [] }
    : all
      ? { logs: await emitters.trusted(all), unread: [] }
      : await readBlockInParts(reader, end.hash).catch((error) => {
          if (!lacksBlock(error)) throw error
        })
  if (!parts) return undefined
  const { logs: raw, unread } = parts
  const times = raw && (await timesOf(client, chain, raw, end, firstNonFinal))
  if (!times) return undefined
  return {
    logs: raw.map((log) => timed(log, times)),
    cursor: { block: last, hash: end.hash },
    time: end.time,
    others: all ? all.length - raw.length : 0,
    size: sizeOf(all ?? raw),
    before: after || !before ? undefined : { block: first - 1, hash: before.hash },
    deployed: emitters.deployed,
    unread,
  }
}

/** Selects the trusted events of newest blocks. `isFirst`: whether the index has no cursor yet. */
async function newestRange({ logs, headers, empty, open }: NewestEvents, emitters: Emitters, isFirst: boolean) {
  const trusted = await emitters.trusted(logs)
  const [first, end] = [headers[0] as Header, headers.at(-1) as Header]
  const times = new Map(headers.map(({ hash, time }) => [hash, time]))
  return {
    logs: trusted.map((log) => timed(log, times)),
    cursor: { block: end.number, hash: end.hash },
    time: end.time,
    others: logs.length - trusted.length,
    size: sizeOf(logs),
    before: isFirst && first.number > 0 ? { block: first.number - 1, hash: first.parent as Hex } : undefined,
    deployed: emitters.deployed,
    unread: [],
    evidence: { empty, open },
  }
}
