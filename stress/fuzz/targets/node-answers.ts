import fc from 'fast-check'
import { readRange } from '../../../packages/catalog/src/index/blocks/reader.js'
import { commonAncestor, observeChain } from '../../../packages/catalog/src/index/chain-view.js'
import { OnChainReader } from '../../../packages/catalog/src/on-chain.js'
import { assertReadableNft, documentIn } from '../../../packages/catalog/src/published.js'
import type { Chain } from '../../../packages/chain/src/chains.js'
import { ChainNodes } from '../../../packages/chain/src/nodes/nodes.js'
import { Receipts } from '../../../packages/chain/src/receipts.js'
import { rpcClient } from '../../../packages/chain/src/rpc/clients.js'
import { OrderTransactions } from '../../../packages/provider/src/orders/transactions.js'
import { CHAIN_ID, CONSUMER, DATATOKEN, KEY, NFT, TX } from '../lib/honest.js'
import { FACTORY } from '../lib/logs.js'
import { mutated } from '../lib/mutate.js'
import { fakeNode } from '../lib/service.js'
import { holds, target } from '../lib/target.js'

const BLOCK = { number: '0x5', hash: TX, parentHash: TX, timestamp: '0x65f00000', transactions: [], logsBloom: '0x' }
const LOG = {
  ...{ address: NFT, topics: [TX], data: '0x', blockNumber: '0x5', blockHash: TX, transactionHash: TX },
  ...{ logIndex: '0x0', transactionIndex: '0x0', removed: false, blockTimestamp: '0x65f00000' },
}
const LATER = { ...LOG, logIndex: '0x1', transactionIndex: '0x0' }
const RECEIPT = {
  ...{ status: '0x1', transactionHash: TX, transactionIndex: '0x0', blockHash: TX, blockNumber: '0x5', from: CONSUMER },
  ...{
    to: NFT,
    cumulativeGasUsed: '0x1',
    gasUsed: '0x1',
    contractAddress: null,
    logs: [LATER, LOG, LATER],
    logsBloom: '0x',
    type: '0x2',
  },
}
const HONEST: Record<string, unknown> = {
  eth_chainId: `0x${CHAIN_ID.toString(16)}`,
  eth_blockNumber: '0x5',
  eth_getBlockByNumber: BLOCK,
  eth_getLogs: [LATER, LOG, LATER],
  eth_getTransactionReceipt: RECEIPT,
  eth_getBlockReceipts: [RECEIPT, RECEIPT],
  eth_call: `0x${'0'.repeat(24)}${NFT.slice(2)}`,
}

const ORDERS = { max: 10, reorgDepth: 5, wait: 0, quotesEndSince: 0 }
const { signal } = new AbortController()
const index = { known: async () => [], emitters: async () => [], checkpoints: async () => [] } as never

let answers: Record<string, unknown> = HONEST
const url = await fakeNode(() => answers)
const client = rpcClient(url)

/** Requests logs in each way. Any list that passes is in chain order, without repetitions, and of one chain. */
async function readLogs(): Promise<void> {
  const receipt = (logs: unknown) => (logs as { logs: unknown } | null)?.logs
  const ways: [method: string, parameter: unknown, logsIn: (result: unknown) => unknown][] = [
    ['eth_getLogs', { fromBlock: '0x5', toBlock: '0x5' }, (result) => result],
    ['eth_getTransactionReceipt', TX, receipt],
    ['eth_getBlockReceipts', '0x5', (result) => (result as unknown[] | null)?.flatMap(receipt)],
  ]
  for (const [method, parameter, logsIn] of ways) {
    const result = await client.request({ method, params: [parameter] } as never).catch(() => [])
    const logs = (logsIn(result) ?? []) as (typeof LOG)[]
    const indexes = logs.map(({ logIndex }) => Number(logIndex))
    holds(new Set(indexes).size === indexes.length, `${method}: each log counts once`)
    holds(new Set(logs.map(({ blockHash }) => blockHash.toLowerCase())).size <= 1, `${method}: one block has one hash`)
    if (method !== 'eth_getBlockReceipts')
      holds(
        indexes.every((index, at) => at === 0 || index > Number(indexes[at - 1])),
        `${method}: in chain order`,
      )
  }
}

/** Responses of a chain node: any response yields a result or a ProviderError. */
export default target({
  runs: 60,
  replayVerbatim: true,
  inputs: mutated<unknown>(fc.constant(HONEST), 3),
  async read(results) {
    answers = Object(results) as Record<string, unknown>
    const nodes = new ChainNodes(CHAIN_ID, [url], { timeout: 2000, agreement: 1 })
    const chain = {
      chainId: CHAIN_ID,
      nodes,
      keys: [KEY],
      confirmations: 1,
      deployment: { factory: FACTORY },
    } as unknown as Chain
    const cursor = { block: 5, hash: TX }
    const onChain = new OnChainReader(new Map([[CHAIN_ID, chain]]), 1)
    const asset = {
      chainId: CHAIN_ID,
      nft: { address: NFT },
      metadata: { did: 'a', nft: NFT, ddo: null },
      datatokens: [{ address: DATATOKEN }],
    }
    const readers = [
      () => new Receipts(0).find(chain, TX, 0, signal).then((mined) => documentIn(mined?.receipt, NFT)),
      () => new OrderTransactions(new Receipts(0), ORDERS).read({ chain, txId: TX, datatoken: DATATOKEN }, signal),
      () => assertReadableNft(chain, NFT),
      () => readRange(chain, { first: 5, last: 5, after: cursor, firstNonFinal: 5 }, index),
      () => observeChain(chain, index, cursor).then(({ heads }) => holds(heads.length === 1, 'one node sees one head')),
      () => commonAncestor(chain, [cursor]),
      readLogs,
      () => onChain.of({ asset, ddo: {}, subject: {}, services: [] } as never),
    ]
    let worst: unknown
    for (const read of readers) await read().catch((error: unknown) => (worst = worse(worst, error)))
    if (worst !== undefined) throw worst
  },
})

/** Of two errors, the one that is not a ProviderError, if any. */
function worse(one: unknown, two: unknown): unknown {
  return one === undefined || 'code' in Object(one) ? two : one
}
