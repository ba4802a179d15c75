import { numberToHex } from 'viem'
import { LIMITS } from '../limits.js'
import type { Moment } from './moment.js'
import { type LogFilter, newestLogs, type RawLog } from './newest-logs.js'
import { causes, chainUnreachable, inTime, nodeFailed } from './reads.js'

/** A filter of logs. */
export interface LogQuery extends LogFilter {
  /** Earliest time of a log. */
  since?: Date | undefined
}

export interface Scanned<T> {
  /** Results, newest first. */
  found: T[]
  /** Set if the node does not read further back: results before this time are missing. */
  incompleteBefore?: Date
}

const { ranges: RANGES } = LIMITS
/** Most requests for logs; older blocks are left out. */
const REQUESTS = 60
/** Most results of one scan. */
const MOST = 1_000

/**
 * Reads logs from the newest block backwards. Tries a smaller range if the node refuses one, up to `REQUESTS` requests.
 * `read` throws or returns undefined to skip a log. Throws TidegateError `CHAIN_UNREACHABLE`.
 */
export async function scanLogs<T extends { time: Date }>(
  moment: Moment,
  { topics, address, since }: LogQuery,
  read: (log: RawLog) => T | undefined,
): Promise<Scanned<T>> {
  const head = moment.block
  const found: T[] = []
  const known = new Set<string>()
  let range = 0
  let to = head
  for (let asked = 0; asked < REQUESTS && to >= 0 && found.length < MOST; asked++) {
    const from = Math.max(0, to - (RANGES[range] as number) + 1)
    const logs = await logsBetween(moment, { topics, address }, from, to)
    if (!logs) {
      if (range === RANGES.length - 1) break
      range += 1
      continue
    }
    if (to === head) logs.push(...(await newestLogs(moment, { topics, address }, logs)))
    for (const log of logs.reverse()) {
      // a node may repeat a log, also from another block after a reorganisation
      const key = `${log.transactionHash} ${log.logIndex}`
      if (log.logIndex !== undefined && known.has(key)) continue
      known.add(key)
      found.push(...readable(log, read))
    }
    to = from - 1
    if (to >= 0 && since && (await timeOf(moment, from)) < since) to = -1
  }
  const wanted = found.slice(0, MOST).filter(({ time }) => !since || time >= since)
  if (to < 0 && found.length <= MOST) return { found: wanted }
  const oldest = to < 0 ? (wanted.at(-1)?.time ?? new Date(0)) : await timeOf(moment, Math.min(to + 1, head))
  return { found: wanted, incompleteBefore: oldest }
}

/** Returns the logs of a block range, oldest first; undefined if the node refuses the range. */
async function logsBetween(
  { client }: Moment,
  { topics, address }: LogFilter,
  from: number,
  to: number,
): Promise<RawLog[] | undefined> {
  const filter = { fromBlock: numberToHex(from), toBlock: numberToHex(to), topics, ...(address ? { address } : {}) }
  try {
    const logs: unknown = await inTime(client.request({ method: 'eth_getLogs', params: [filter as never] }))
    return Array.isArray(logs) ? [...logs] : undefined
  } catch (error) {
    // a node or its proxy may refuse a long range with an HTTP status; an unreachable node has none
    if (isGone(error)) throw chainUnreachable(error)
    return undefined
  }
}

function isGone(error: unknown): boolean {
  return nodeFailed(error) && !causes(error).some((cause) => 'status' in cause || typeof cause.code === 'number')
}

function readable<T>(log: RawLog, read: (log: RawLog) => T | undefined): T[] {
  try {
    const value = read(log)
    return value === undefined || !/^0x[0-9a-f]{64}$/i.test(log.transactionHash) ? [] : [value]
  } catch {
    return []
  }
}

async function timeOf(moment: Moment, block: number): Promise<Date> {
  return new Date((await moment.header(block)).timestamp * 1000)
}
