import { CHAIN_LIMITS, type Chain, isTooLong, refusal } from '@tidegate/chain'
import type { Address, Hex, PublicClient, RpcLog } from 'viem'
import type { EmitterKind, IndexGeneration } from '../index-store.js'
import { type Emitters, TOPICS } from './emitters.js'
import { logsOf } from './headers.js'

/** The trusted events of a block, and the NFTs whose events are too large to read. */
export interface BlockParts {
  logs: RpcLog[]
  unread: Address[]
}

export interface PartsReader {
  client: PublicClient
  chain: Chain
  emitters: Emitters
  index: Pick<IndexGeneration, 'emitters'>
}

/**
 * Reads one block in parts if a node refuses to return its events at once: untrusted contracts can fill a block with events. Reads
 * first by topic; refused topics by receipts of the block or of transactions; if a receipt is too large, by known contracts. Drops
 * untrusted events. Throws the node's error if all of this fails.
 */
export async function readBlockInParts(reader: PartsReader, block: Hex): Promise<BlockParts> {
  const { client, emitters, chain } = reader
  const trusted: RpcLog[] = []
  const add = async (logs: RpcLog[]) => void trusted.push(...(await emitters.trusted(logs)))
  // deployments first, since they decide which other emitters are trusted. Their events are small
  await add(await logsOf(client, { blockHash: block, address: chain.deployment.factory, topics: [TOPICS.factory] }))
  const refused: Hex[] = []
  for (const topic of [...TOPICS.nft, ...TOPICS.datatoken, ...TOPICS.market]) {
    try {
      await add(await logsOf(client, { blockHash: block, topics: [topic] }))
    } catch (error) {
      if (!refusal(error)) throw error
      refused.push(topic)
    }
  }
  const unread = refused.length > 0 ? await refusedTopics(reader, block, refused, trusted) : []
  // in the order of emission
  trusted.sort((a, b) => Number(a.logIndex) - Number(b.logIndex))
  return { logs: trusted, unread }
}

/** Appends the trusted events of refused topics to a list. Returns the NFTs whose events are unreadable. */
async function refusedTopics(reader: PartsReader, block: Hex, topics: Hex[], trusted: RpcLog[]): Promise<Address[]> {
  const initialLength = trusted.length
  const withTopics = (logs: RpcLog[]) => logs.filter(({ topics: [topic] }) => topics.includes(topic as Hex))
  try {
    for await (const logs of receiptLogs(reader.client, block))
      trusted.push(...(await reader.emitters.trusted(withTopics(logs))))
    return []
  } catch (error) {
    if (!refusal(error)) throw error
    trusted.length = initialLength
  }
  const unread: Address[] = []
  for (const kind of ['nft', 'datatoken', 'market'] as const) {
    const ofKind = TOPICS[kind].filter((topic) => topics.includes(topic))
    if (ofKind.length === 0) continue
    for await (const addresses of emittersOf(reader, kind))
      for await (const found of byContracts(reader.client, block, addresses, ofKind)) {
        if ('logs' in found) trusted.push(...(await reader.emitters.trusted(found.logs)))
        else if (kind === 'nft') unread.push(found.tooLong)
      }
  }
  return unread
}

/** Yields the logs of a block by its receipts: all at once, or of a few transactions at a time. */
async function* receiptLogs(client: PublicClient, block: Hex): AsyncGenerator<RpcLog[]> {
  const all = await client.request({ method: 'eth_getBlockReceipts', params: [block] } as never).catch((error) => {
    if (!refusal(error)) throw error
  })
  if (Array.isArray(all)) return yield all.flatMap((receipt) => logsIn(receipt, block))
  const found = await client.request({ method: 'eth_getBlockByHash', params: [block, false] })
  if (!found) throw new Error('The node does not have the block.')
  const transactions = found.transactions as Hex[]
  for (let at = 0; at < transactions.length; at += CHAIN_LIMITS.chain.receipts)
    yield* someReceipts(client, block, transactions.slice(at, at + CHAIN_LIMITS.chain.receipts))
}

/** Yields the logs of transactions in order. Halves a refused list. */
async function* someReceipts(client: PublicClient, block: Hex, transactions: Hex[]): AsyncGenerator<RpcLog[]> {
  let receipts: unknown[]
  try {
    // in one tick, so one HTTP request
    receipts = await Promise.all(
      transactions.map((hash) => client.request({ method: 'eth_getTransactionReceipt', params: [hash] })),
    )
  } catch (error) {
    if (transactions.length === 1 || !refusal(error)) throw error
    const half = Math.ceil(transactions.length / 2)
    yield* someReceipts(client, block, transactions.slice(0, half))
    yield* someReceipts(client, block, transactions.slice(half))
    return
  }
  for (const receipt of receipts) yield logsIn(receipt, block)
}

function logsIn(receipt: unknown, block: Hex): RpcLog[] {
  const { blockHash, logs } = (receipt ?? {}) as { blockHash?: Hex; logs?: RpcLog[] }
  if (blockHash !== block || !Array.isArray(logs)) throw new Error('The node has another block.')
  return logs
}

/** Yields the contracts in the store page by page, then those deployed in this block. */
export async function* emittersOf(
  { index, chain, emitters }: PartsReader,
  kind: EmitterKind,
): AsyncGenerator<Address[]> {
  const size = CHAIN_LIMITS.chain.emitters
  let page: Address[] = []
  do {
    page = await index.emitters(chain.chainId, kind, page.at(-1), size)
    if (page.length > 0) yield page
  } while (page.length === size)
  const fresh = [...emitters.deployed[kind].values()]
  for (let at = 0; at < fresh.length; at += size) yield fresh.slice(at, at + size)
}

/** Yields the events of contracts. Halves a refused list; reports a contract whose own events are too large. */
async function* byContracts(
  client: PublicClient,
  block: Hex,
  addresses: Address[],
  topics: Hex[],
): AsyncGenerator<{ logs: RpcLog[] } | { tooLong: Address }> {
  try {
    yield { logs: await logsOf(client, { blockHash: block, address: addresses, topics: [topics] }) }
  } catch (error) {
    const [only] = addresses
    if (addresses.length === 1 && only && isTooLong(error)) return yield { tooLong: only }
    if (addresses.length === 1 || !refusal(error)) throw error
    const half = Math.ceil(addresses.length / 2)
    yield* byContracts(client, block, addresses.slice(0, half), topics)
    yield* byContracts(client, block, addresses.slice(half), topics)
  }
}
