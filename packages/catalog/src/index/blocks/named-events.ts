import { type Chain, mentionsAddress, type NodeAbilities, refusal } from '@tidegate/chain'
import type { Address, Hex, PublicClient, RpcLog } from 'viem'
import { emittersOf, type PartsReader } from './block-parts.js'
import { TOPICS } from './emitters.js'
import { type Header, headerOf, hex } from './headers.js'

/** Blocks by number, inclusive. */
interface Blocks {
  first: number
  last: number
}

/**
 * The trusted events of a range, requested by contract address: for nodes that give no events otherwise. Only the factory
 * and what it deployed are trusted, so nothing is missed; it takes one request for each few hundred contracts. Undefined if
 * the node has another last block than `end` meanwhile.
 */
export async function namedEventsOf(
  reader: PartsReader,
  { first, last }: Blocks,
  end: Header,
): Promise<RpcLog[] | undefined> {
  const { client, chain, emitters } = reader
  const found: RpcLog[] = []
  const add = async (address: Address[], topics: readonly Hex[]) => {
    const filter = { fromBlock: hex(first), toBlock: hex(last), address, topics: [topics] }
    // with the header, so that a node that lacks the blocks does not pass for one without events
    const [logs, header] = await Promise.all([logsOf(client, filter), headerOf(client, last)])
    if (header?.hash !== end.hash) return false
    found.push(...(await emitters.trusted(logs)))
    return true
  }
  // deployments first: they decide which other emitters are trusted
  if (!(await add([chain.deployment.factory], TOPICS.factory))) return undefined
  for (const kind of ['nft', 'datatoken'] as const)
    for await (const addresses of emittersOf(reader, kind)) if (!(await add(addresses, TOPICS[kind]))) return undefined
  return found.sort((a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex))
}

/**
 * Records why a node may have refused the events of some blocks: for their number, or since it gives events by contract
 * address alone, or none at all. Requests one block both ways if the refusal leaves that open.
 */
export async function noteRefusal(
  { logs }: NodeAbilities,
  client: PublicClient,
  chain: Chain,
  { first, last }: Blocks,
  error: unknown,
): Promise<void> {
  const names = mentionsAddress(error)
  // a node that has given some refuses their number. Where blocks come fast, no range may ever be of one block
  if ((first < last && !names && logs.hasGiven) || !logs.startTrial()) return logs.refused(last - first + 1)
  try {
    const { factory } = chain.deployment
    // the genesis block has no events, so that it is not refused for their number; but a node may have no old blocks
    const block = names ? last : 0
    const any = await trial(client, block)
    const named = any === 'refused' ? await trial(client, block, factory) : undefined
    if (named === 'given') return logs.lacks('named')
    const isNone = async () => [await trial(client, last, factory), await trial(client, last)].every(isRefused)
    if (any === 'refused' && (await isNone())) return logs.lacks('none')
    logs.refused(last - first + 1)
  } finally {
    logs.endTrial()
  }
}

const isRefused = (answer: string) => answer === 'refused'

/** How a node answers the request for the events of one block, of any contract or of one. */
async function trial(client: PublicClient, block: number, address?: Address): Promise<'given' | 'refused' | 'failed'> {
  const filter = { fromBlock: hex(block), toBlock: hex(block), topics: [Object.values(TOPICS).flat()] }
  return logsOf(client, address ? { ...filter, address: [address] } : filter).then(
    () => 'given',
    (error) => {
      const reason = refusal(error)
      return reason === undefined || reason.includes('in time') ? 'failed' : 'refused'
    },
  )
}

async function logsOf(client: PublicClient, filter: object): Promise<RpcLog[]> {
  // the raw request: the typed one cannot express "any of these events, from any contract"
  return (await client.request({ method: 'eth_getLogs', params: [filter as never] })) as RpcLog[]
}
