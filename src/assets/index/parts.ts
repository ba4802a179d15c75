import type { Address, Hex, PublicClient, RpcLog } from 'viem'
import { BOUNDS } from '../../bounds.js'
import type { Chain } from '../../chain/chains.js'
import { isTooLong, refusal } from '../../chain/failures.js'
import type { EmitterKind, IndexReading } from '../../state/store.js'
import { type Emitters, TOPICS } from './emitters.js'

/** The events of a block that count, and the NFTs whose events cannot be had: those of one alone are too long. */
export interface BlockParts {
  logs: RpcLog[]
  unread: Address[]
}

/** What a block is read with. */
export interface PartsReader {
  client: PublicClient
  chain: Chain
  emitters: Emitters
  index: Pick<IndexReading, 'emitters'>
}

/**
 * Reads one block whose events a node does not give at once: anybody can fill a block with events of these names. First
 * by topic; what is refused then, by the receipts of the block, of a few of its transactions, or of one; and where one
 * of those is too long, by the contracts that are known. No more is kept of an answer than what counts. Throws what
 * the node answers where none of that helps.
 */
export async function blockInParts(reader: PartsReader, block: Hex): Promise<BlockParts> {
  const { client, emitters, chain } = reader
  const kept: RpcLog[] = []
  const keep = async (logs: RpcLog[]) => void kept.push(...(await emitters.believed(logs)))
  // deployments first: who else counts depends on them. The factory has no long ones, since it stores what it tells
  await keep(await logsOf(client, { blockHash: block, address: chain.deployment.factory, topics: [TOPICS.factory] }))
  const refused: Hex[] = []
  for (const topic of [...TOPICS.nft, ...TOPICS.datatoken]) {
    try {
      await keep(await logsOf(client, { blockHash: block, topics: [topic] }))
    } catch (error) {
      if (!refusal(error)) throw error
      refused.push(topic)
    }
  }
  const unread = refused.length > 0 ? await refusedTopics(reader, block, refused, kept) : []
  // in the order in which they were emitted
  kept.sort((a, b) => Number(a.logIndex) - Number(b.logIndex))
  return { logs: kept, unread }
}

/** Adds the events of some topics to those that are kept. Answers the NFTs whose events cannot be had. */
async function refusedTopics(reader: PartsReader, block: Hex, topics: Hex[], kept: RpcLog[]): Promise<Address[]> {
  const before = kept.length
  const among = (logs: RpcLog[]) => logs.filter(({ topics: [topic] }) => topics.includes(topic as Hex))
  try {
    for await (const logs of receiptLogs(reader.client, block))
      kept.push(...(await reader.emitters.believed(among(logs))))
    return []
  } catch (error) {
    if (!refusal(error)) throw error
    kept.length = before
  }
  const unread: Address[] = []
  for (const kind of ['nft', 'datatoken'] as const) {
    const wanted = TOPICS[kind].filter((topic) => topics.includes(topic))
    if (wanted.length === 0) continue
    for await (const addresses of emittersOf(reader, kind))
      for await (const found of byContracts(reader.client, block, addresses, wanted)) {
        if ('logs' in found) kept.push(...(await reader.emitters.believed(found.logs)))
        else if (kind === 'nft') unread.push(found.tooLong)
      }
  }
  return unread
}

/** The logs of a block by its receipts: all of them, else those of a few transactions at a time. */
async function* receiptLogs(client: PublicClient, block: Hex): AsyncGenerator<RpcLog[]> {
  const all = await client.request({ method: 'eth_getBlockReceipts', params: [block] } as never).catch((error) => {
    if (!refusal(error)) throw error
  })
  if (Array.isArray(all)) return yield all.flatMap((receipt) => logsIn(receipt, block))
  const found = await client.request({ method: 'eth_getBlockByHash', params: [block, false] })
  if (!found) throw new Error('The node does not have the block.')
  const transactions = found.transactions as Hex[]
  for (let at = 0; at < transactions.length; at += BOUNDS.chain.receipts)
    yield* someReceipts(client, block, transactions.slice(at, at + BOUNDS.chain.receipts))
}

/** Of some transactions, in their order: in halves where that is too much at once. */
async function* someReceipts(client: PublicClient, block: Hex, transactions: Hex[]): AsyncGenerator<RpcLog[]> {
  let receipts: unknown[]
  try {
    // in one tick, so in one request
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

/** Those that the store knows, page by page, and those that were deployed in this very block. */
async function* emittersOf({ index, chain, emitters }: PartsReader, kind: EmitterKind): AsyncGenerator<Address[]> {
  const size = BOUNDS.chain.emitters
  let page: Address[] = []
  do {
    page = await index.emitters(chain.chainId, kind, page.at(-1), size)
    if (page.length > 0) yield page
  } while (page.length === size)
  const fresh = emitters.deployed(kind)
  for (let at = 0; at < fresh.length; at += size) yield fresh.slice(at, at + size)
}

/** The events of some contracts, in halves where that is too much at once; one alone may have too many. */
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

interface LogFilter {
  /** By its hash: another node behind the same name, which has another block, says so. */
  blockHash: Hex
  address?: Address | Address[]
  topics: (Hex | Hex[])[]
}

async function logsOf(client: PublicClient, filter: LogFilter): Promise<RpcLog[]> {
  // the plain call: the typed one has no form for "any of these events, from anywhere"
  return (await client.request({ method: 'eth_getLogs', params: [filter as never] })) as RpcLog[]
}
