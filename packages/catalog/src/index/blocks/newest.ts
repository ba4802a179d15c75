import type { RpcLog } from 'viem'
import type { Cursor } from '../index-store.js'
import { type BloomEvidence, bloomEvidence } from './bloom.js'
import { type Header, headerOf } from './headers.js'
import { blockEventsOf, type Source } from './requests.js'

/** What is known of the newest blocks of a chain, and how their lists of events are judged. */
export interface NewestBlocks {
  /** Headers that need no request, by number. */
  headers: ReadonlyMap<number, Header>
  /** Whether blooms of this chain have not been wrong. */
  trustsBlooms: boolean
  /** Returns whether to wait for events that a bloom names and a node does not return. */
  mayWait(header: Header): boolean
}

/** The events of consecutive newest blocks, each read by the hash of its block. */
export interface NewestEvents {
  logs: RpcLog[]
  headers: Header[]
  /** Blocks whose bloom excludes events. */
  empty: number[]
  /** Blocks that may have more events: their bloom proves nothing, or may match an absent topic. */
  open: number[]
}

/**
 * Reads newest blocks: their headers, which must be a chain of parents, then the events of each block by its hash, unless the bloom
 * excludes them. Ends before a block whose events are late at this node. `late` if that is the first one; undefined if the node lacks
 * a block or mixes forks; `unprovable` if it sends no parent hashes.
 */
export async function newestEvents(
  source: Source,
  { first, last, after }: { first: number; last: number; after: Cursor | undefined },
  { headers: known, trustsBlooms, mayWait }: NewestBlocks,
): Promise<NewestEvents | 'late' | 'unprovable' | undefined> {
  const numbers = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const found = await Promise.all(numbers.map((number) => known.get(number) ?? headerOf(source.client, number)))
  if (found.some((header) => !header)) return undefined
  const headers = found as Header[]
  if (headers.some(({ parent }) => parent === undefined)) return 'unprovable'
  const isChain = headers.every(({ parent }, at) => at === 0 || parent === headers[at - 1]?.hash)
  if (!isChain || (after && headers[0]?.parent !== after.hash)) return undefined
  const evidence = headers.map((header) => (trustsBlooms ? bloomEvidence(header) : NO_EVIDENCE))
  const lists = await Promise.all(
    headers.map((header, at) => (evidence[at]?.topics?.length === 0 ? [] : blockEventsOf(source, header))),
  )
  const events: NewestEvents = { logs: [], headers: [], empty: [], open: [] }
  for (const [at, header] of headers.entries()) {
    const { topics, isSparse } = evidence[at] as BloomEvidence
    const logs = lists[at]
    if (!logs) return undefined
    const seen = new Set(logs.map((log) => log.topics[0]))
    const isOpen = !topics?.every((topic) => seen.has(topic))
    const isMissing = isOpen && isSparse && topics !== undefined
    if (isMissing && mayWait(header)) return at === 0 ? 'late' : events
    if (isSparse && topics?.length) source.abilities.logs.omits(isMissing)
    if (isOpen) events.open.push(header.number)
    if (topics?.length === 0) events.empty.push(header.number)
    events.headers.push(header)
    events.logs.push(...logs)
  }
  return events
}

const NO_EVIDENCE: BloomEvidence = { topics: undefined, isSparse: false }
