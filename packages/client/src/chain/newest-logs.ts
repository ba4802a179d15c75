import { BLOOM_POSITION } from '@tidegate/protocol/constants'
import { type Address, type Hex, isHex, keccak256, numberToHex } from 'viem'
import { LIMITS } from '../limits.js'
import { type Header, type Moment, patiently } from './moment.js'
import { ask } from './reads.js'

export interface LogFilter {
  topics: (Hex | null | undefined)[]
  address?: Address | undefined
}

/** A log as a node sends it. */
export interface RawLog {
  address: Address
  topics: [Hex, ...Hex[]]
  data: Hex
  transactionHash: Hex
  blockNumber?: Hex
  logIndex?: Hex
}

/**
 * Returns the logs of the newest blocks that are missing in `found`. The index of logs of a node may be behind its blocks:
 * an empty list proves nothing. The blooms of the newest blocks, and of those with transactions of this client, name the
 * blocks that have logs. Such a block is asked again for some seconds, as blooms may be wrong about one.
 */
export async function newestLogs(moment: Moment, filter: LogFilter, found: readonly RawLog[]): Promise<RawLog[]> {
  const known = new Set(found.map(({ blockNumber }) => Number(blockNumber)))
  const missing = (await newestHeaders(moment)).filter(
    ({ number, logsBloom }) => !known.has(number) && mayHold(logsBloom, filter),
  )
  const logs = await Promise.all(missing.map(({ number }) => logsOf(moment, filter, number)))
  return logs.flat()
}

async function newestHeaders(moment: Moment): Promise<Header[]> {
  const { young, age } = LIMITS.behind
  const head = await moment.header()
  const isYoung = Date.now() / 1000 - head.timestamp < age
  const last = isYoung ? Array.from({ length: young - 1 }, (_, at) => head.number - 1 - at) : []
  const numbers = [...new Set([...last, ...moment.seen.mined])].filter((number) => number >= 0 && number < head.number)
  const headers = await Promise.all(numbers.sort((a, b) => a - b).map((number) => moment.header(number)))
  return [...headers, head]
}

async function logsOf({ client }: Moment, { topics, address }: LogFilter, block: number): Promise<RawLog[]> {
  const at = numberToHex(block)
  const filter = { fromBlock: at, toBlock: at, topics, ...(address ? { address } : {}) }
  const logs = await patiently(LIMITS.behind.unknown, async () => {
    const answer: unknown = await ask(client.request({ method: 'eth_getLogs', params: [filter as never] }))
    return Array.isArray(answer) && answer.length > 0 ? answer : undefined
  })
  return logs ?? []
}

/** Whether a block may hold logs of a filter. A bloom of zeros, of chains that compute none, says no. */
function mayHold(logsBloom: unknown, { topics, address }: LogFilter): boolean {
  if (!isHex(logsBloom) || logsBloom.length !== 514) return false
  return [address, ...topics].every((value) => !value || isIn(logsBloom, value))
}

/** Whether a bloom of 2048 bits holds a value: three bits of its hash, as in the Yellow Paper, section 4.4.3. */
function isIn(bloom: Hex, value: Hex): boolean {
  const hash = keccak256(value)
  return [0, 1, 2].every((pair) => {
    const bit = Number.parseInt(hash.slice(2 + 4 * pair, 6 + 4 * pair), 16) & BLOOM_POSITION
    const digit = Number.parseInt(bloom[513 - (bit >> 2)] as string, 16)
    return (digit >> (bit & 3)) & 1
  })
}
