import { type Chain, mentionsAddress, type NodeAbilities, refusal } from '@tidegate/chain'
import { type Address, type Hex, numberToHex, type PublicClient, type RpcLog } from 'viem'
import { emittersOf, type PartsReader } from './block-parts.js'
import { TOPICS } from './emitters.js'
import { type Header, headerOf, logsOf } from './headers.js'

/** Blocks by number, inclusive. */
interface Blocks {
  first: number
  last: number
}

/**
 * Requests the trusted events of a range by contract address, for nodes that return no events otherwise. Takes one request per few
 * hundred contracts. Undefined if the last block of the range is not `end` at the node.
 */
export async function namedEventsOf(
  reader: PartsReader,
  { first, last }: Blocks,
  end: Header,
): Promise<RpcLog[] | undefined> {
  const { client, chain, emitters } = reader
  const found: RpcLog[] = []
  const add = async (address: Address[], topics: readonly Hex[]) => {
    const filter = { fromBlock: numberToHex(first), toBlock: numberToHex(last), address, topics: [topics] }
    // with the header, to notice a node that lacks the blocks
    const [logs, header] = await Promise.all([logsOf(client, filter), headerOf(client, last)])
    if (header?.hash !== end.hash) return false
    found.push(...(await emitters.trusted(logs)))
    return true
  }
  // deployments first, since they decide which other emitters are trusted
  if (!(await add([chain.deployment.factory], TOPICS.factory))) return undefined
  for (const kind of ['nft', 'datatoken', 'market'] as const)
    for await (const addresses of emittersOf(reader, kind)) if (!(await add(addresses, TOPICS[kind]))) return undefined
  return found.sort((a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex))
}

/**
 * Records the reason of a node's refusal of events: too many blocks, or the node returns events only by contract address, or none.
 * If the refusal leaves that open, tries one block both ways.
 */
export async function noteRefusal(
  { logs }: NodeAbilities,
  client: PublicClient,
  chain: Chain,
  { first, last }: Blocks,
  error: unknown,
): Promise<void> {
  const names = mentionsAddress(error)
  // a node that has returned events before refuses their number
  if ((first < last && !names && logs.hasGiven) || !logs.startTrial()) return logs.refused(last - first + 1)
  try {
    const { factory } = chain.deployment
    // the genesis block has no events, so it is not refused for their number. But a node may lack old blocks
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

/** Requests the events of one block, of any contract or of one. */
async function trial(client: PublicClient, block: number, address?: Address): Promise<'given' | 'refused' | 'failed'> {
  const filter = { fromBlock: numberToHex(block), toBlock: numberToHex(block), topics: [Object.values(TOPICS).flat()] }
  return logsOf(client, address ? { ...filter, address: [address] } : filter).then(
    () => 'given',
    (error) => {
      const reason = refusal(error)
      return reason === undefined || reason.includes('in time') ? 'failed' : 'refused'
    },
  )
}
