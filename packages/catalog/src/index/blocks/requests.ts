import { type Chain, type NodeAbilities, type NodeRequest, refusal } from '@tidegate/chain'
import { ChainError } from '@tidegate/protocol'
import { formatLog, type Hex, type Log, type PublicClient, type RpcLog } from 'viem'
import { TOPICS } from './emitters.js'
import { type Header, headerOf, hex } from './headers.js'
import { noteRefusal } from './named-events.js'

/** Characters of an event beside its data. */
const EVENT_SIZE = 512

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
 * Asks one node after the other for a range, those first that are likely to give it. Undefined if no node has it. Throws
 * RangeRefused, ChainError.
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
    .ask(observed, { accept: (answer) => answer !== undefined, agreeOn, unhedged: true, ...(prefer ? { prefer } : {}) })
    .catch((error) => {
      throw refused === undefined ? error : new RangeRefused(refused)
    })
  // another node lags, but one that has the blocks refused them
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

/** Characters that events take, about. */
export const sizeOf = (logs: readonly RpcLog[]): number =>
  logs.reduce((sum, { data }) => sum + EVENT_SIZE + data.length, 0)

/** An event with the time of its block. */
export const timed = (log: RpcLog, times: ReadonlyMap<Hex, bigint>) =>
  ({ ...formatLog(log), blockTimestamp: times.get(log.blockHash as Hex) as bigint }) as Log

/** The node to read from. */
interface Source {
  client: PublicClient
  chain: Chain
  abilities: NodeAbilities
}

/** The events of a range that are indexed, of whatever contract. Records whether the node gives them. */
export async function eventsOf(
  { client, chain, abilities }: Source,
  first: number,
  last: number,
  signal?: AbortSignal,
): Promise<RpcLog[]> {
  const topics = [Object.values(TOPICS).flat()]
  // the raw request: the typed one cannot express "any of these events, from any contract"
  const filter = { fromBlock: hex(first), toBlock: hex(last), topics }
  try {
    const logs = (await client.request({ method: 'eth_getLogs', params: [filter] }, { signal })) as RpcLog[]
    abilities.logs.gave(last - first + 1)
    return logs
  } catch (error) {
    const reason = signal?.aborted ? undefined : refusal(error)
    // an answer that is late may be so for any reason
    if (reason && !reason.includes('in time')) await noteRefusal(abilities, client, chain, { first, last }, error)
    throw error
  }
}

/** The times of the events' blocks; undefined if a block was replaced meanwhile. */
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
