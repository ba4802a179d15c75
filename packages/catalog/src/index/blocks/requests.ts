import { type Chain, lacksBlock, type NodeAbilities, type NodeRequest, refusal } from '@tidegate/chain'
import { ChainError } from '@tidegate/protocol'
import { formatLog, type Hex, type Log, numberToHex, type PublicClient, type RpcLog } from 'viem'
import { TOPICS } from './emitters.js'
import { type Header, headerOf, logsOf } from './headers.js'
import { noteRefusal } from './named-events.js'

/** Characters of an event without its data. */
const EVENT_SIZE = 512

/** Reachable nodes refuse so many blocks or events at once. */
export class RangeRefused extends ChainError {
  constructor(readonly reason: string) {
    super('CHAIN_UNAVAILABLE', `No node gives the events of these blocks: one ${reason}.`)
  }

  /** A time-out, or a fault of a proxy, may have another cause than the size. */
  get failure(): 'refused' | 'timeout' {
    return /in time|50\d/.test(this.reason) ? 'timeout' : 'refused'
  }
}

/**
 * Requests a range from one node after the other, until the answer is an object. Otherwise returns the first answer; undefined means that
 * no node has the range. Throws RangeRefused, ChainError.
 */
export async function askForRange<R>(
  chain: Chain,
  read: (client: PublicClient, abilities: NodeAbilities) => Promise<R | undefined>,
  agreeOn: (range: R | undefined) => unknown,
  prefer?: (abilities: NodeAbilities) => boolean,
): Promise<R | undefined> {
  let refused: string | undefined
  const observed: NodeRequest<R | undefined> = (client, _, abilities) =>
    read(client, abilities).catch((error: unknown) => {
      refused ??= refusal(error)
      throw error
    })
  const range = await chain.nodes
    .ask(observed, {
      accept: (answer) => typeof answer === 'object',
      agreeOn,
      unhedged: true,
      ...(prefer ? { prefer } : {}),
    })
    .catch((error) => {
      throw refused === undefined ? error : new RangeRefused(refused)
    })
  // a node that has the blocks refused them; the others lag
  if (!range && refused !== undefined) throw new RangeRefused(refused)
  return range
}

/** The fields of an event that a quorum of nodes must agree on. */
export const quorumFields = ({
  address,
  topics,
  data,
  blockHash,
}: Pick<Log, 'address' | 'topics' | 'data' | 'blockHash'>) => [address, topics, data, blockHash]

/** Returns the approximate characters of events. */
export const sizeOf = (logs: readonly RpcLog[]): number =>
  logs.reduce((sum, { data }) => sum + EVENT_SIZE + data.length, 0)

/** Returns an event with the time of its block. */
export const timed = (log: RpcLog, times: ReadonlyMap<Hex, bigint>) =>
  ({ ...formatLog(log), blockTimestamp: times.get(log.blockHash as Hex) as bigint }) as Log

/** A node to read events from. */
export interface Source {
  client: PublicClient
  chain: Chain
  abilities: NodeAbilities
}

/** Requests the indexed events of a range, of any contract. Records whether the node returns them. */
export function eventsOf(source: Source, first: number, last: number, signal?: AbortSignal): Promise<RpcLog[]> {
  return eventsIn(source, { fromBlock: numberToHex(first), toBlock: numberToHex(last) }, { first, last }, signal)
}

/** Requests the indexed events of one block by its hash, as `eventsOf` does. Undefined if the node lacks the block. */
export function blockEventsOf(source: Source, { hash, number }: Header): Promise<RpcLog[] | undefined> {
  return eventsIn(source, { blockHash: hash }, { first: number, last: number }).catch((error) => {
    if (lacksBlock(error)) return undefined
    throw error
  })
}

async function eventsIn(
  { client, chain, abilities }: Source,
  blocks: { blockHash: Hex } | { fromBlock: Hex; toBlock: Hex },
  { first, last }: { first: number; last: number },
  signal?: AbortSignal,
): Promise<RpcLog[]> {
  try {
    const logs = await logsOf(client, { ...blocks, topics: [Object.values(TOPICS).flat()] }, signal)
    abilities.logs.gave(last - first + 1)
    return logs
  } catch (error) {
    const reason = signal?.aborted || lacksBlock(error) ? undefined : refusal(error)
    // a time-out may have any cause
    if (reason && !reason.includes('in time')) await noteRefusal(abilities, client, chain, { first, last }, error)
    throw error
  }
}

/** Returns the times of the events' blocks; undefined if a block was replaced meanwhile. */
export async function timesOf(
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
    // deployments need times, which older nodes omit. Blocks that are not final are verified again
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
