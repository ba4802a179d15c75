import fc from 'fast-check'
import { FactsReader } from '../../src/assets/facts.js'
import { readRange } from '../../src/assets/index/reader.js'
import { ancestorOf, look } from '../../src/assets/index/views.js'
import { assertReadableNft, documentIn } from '../../src/assets/published.js'
import type { Chain } from '../../src/chain/chains.js'
import { ChainNodes } from '../../src/chain/nodes.js'
import { Receipts } from '../../src/chain/receipts.js'
import { OrderTransactions } from '../../src/orders/transactions.js'
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
const RECEIPT = {
  ...{ status: '0x1', transactionHash: TX, transactionIndex: '0x0', blockHash: TX, blockNumber: '0x5', from: CONSUMER },
  ...{
    to: NFT,
    cumulativeGasUsed: '0x1',
    gasUsed: '0x1',
    contractAddress: null,
    logs: [LOG],
    logsBloom: '0x',
    type: '0x2',
  },
}
const HONEST: Record<string, unknown> = {
  eth_chainId: `0x${CHAIN_ID.toString(16)}`,
  eth_blockNumber: '0x5',
  eth_getBlockByNumber: BLOCK,
  eth_getLogs: [LOG],
  eth_getTransactionReceipt: RECEIPT,
  eth_call: `0x${'0'.repeat(24)}${NFT.slice(2)}`,
}

const ORDERS = { max: 10, reorgDepth: 5, wait: 0, quotesEndSince: 0 }
const { signal } = new AbortController()
const index = { known: async () => [], emitters: async () => [], checkpoints: async () => [] } as never

let answers: Record<string, unknown> = HONEST
const url = await fakeNode(() => answers)

/** Answers of a node of the chain: whatever it says is an answer, or the chain cannot be asked. */
export default target({
  runs: 60,
  rigid: true,
  inputs: mutated<unknown>(fc.constant(HONEST), 3),
  async read(said) {
    answers = Object(said) as Record<string, unknown>
    const nodes = new ChainNodes(CHAIN_ID, [url], { timeout: 2000, agreement: 1 })
    const chain = {
      chainId: CHAIN_ID,
      nodes,
      keys: [KEY],
      confirmations: 1,
      deployment: { factory: FACTORY },
    } as unknown as Chain
    const cursor = { block: 5, hash: TX }
    const facts = new FactsReader(new Map([[CHAIN_ID, chain]]), 1)
    const asset = { chainId: CHAIN_ID, metadata: { did: 'a', nft: NFT }, datatokens: [{ address: DATATOKEN }] }
    const asked = [
      () => new Receipts(0).find(chain, TX, 0, signal).then((mined) => documentIn(mined?.receipt, NFT)),
      () => new OrderTransactions(new Receipts(0), ORDERS).read({ chain, txId: TX, datatoken: DATATOKEN }, signal),
      () => assertReadableNft(chain, NFT),
      () => readRange(chain, { first: 5, last: 5, after: cursor, fragileFrom: 5 }, index),
      () => look(chain, index, cursor).then(({ heads }) => holds(heads.length === 1, 'one node sees one head')),
      () => ancestorOf(chain, [cursor]),
      () => facts.of(asset as never),
    ]
    let refusal: unknown
    for (const ask of asked) await ask().catch((error: unknown) => (refusal = worse(refusal, error)))
    if (refusal !== undefined) throw refusal
  },
})

/** The one of two errors that is no refusal, where one is not. */
function worse(one: unknown, two: unknown): unknown {
  return one === undefined || 'code' in Object(one) ? two : one
}
