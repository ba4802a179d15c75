import { formatLog, getAddress, type Hex, type Log, type PublicClient, type RpcLog } from 'viem'
import { topicsOf } from '../../chain/abi.js'
import type { Chain } from '../../chain/chains.js'
import type { Cursor } from '../../state/store.js'

const TOPICS = topicsOf([
  'NFTCreated',
  'TokenCreated',
  'MetadataCreated',
  'MetadataUpdated',
  'MetadataState',
  'OrderStarted',
])

/** The events of a range of blocks, and the block that it ends with. */
export interface BlockRange {
  logs: Log[]
  cursor: Cursor
}

/** Which blocks to read, by number, inclusive. */
export interface WantedRange {
  first: number
  last: number
  /** The block that they must follow. */
  after: Cursor | undefined
  /** First block that may still be replaced by another one. */
  fragileFrom: number
}

/**
 * Reads the index's events of a range from one node that has all of its blocks, and the one before. Undefined where no
 * node is like that: it lags, or the chain is another one by now. Throws ChainError.
 */
export async function readRange(chain: Chain, wanted: WantedRange): Promise<BlockRange | undefined> {
  const { first, last, after, fragileFrom } = wanted
  const read = async (client: PublicClient) => {
    // one request, so that one node answers all of it: another one might not have the blocks yet and say "no events"
    const [raw, end, before] = await Promise.all([
      // the plain call: the typed one has no form for "any of these events, from anywhere"
      client.request({
        method: 'eth_getLogs',
        params: [{ fromBlock: hex(first), toBlock: hex(last), topics: [TOPICS] }],
      }) as Promise<RpcLog[]>,
      headerOf(client, last),
      after && headerOf(client, after.block),
    ])
    if (!end || (after && before?.hash !== after.hash)) return undefined
    const blocks = await blocksOf(client, raw, end)
    if (!blocks) return undefined
    const logs = raw.map((log) => ({ ...formatLog(log), blockTimestamp: blocks.get(log.blockHash as Hex) as bigint }))
    return { logs: logs as Log[], cursor: { block: last, hash: end.hash } }
  }
  const essence = (range: BlockRange | undefined) =>
    range && [
      range.cursor,
      range.logs.map(({ address, topics, data, blockHash }) => [address, topics, data, blockHash]),
    ]
  return chain.nodes.ask(read, { accept: (range) => range !== undefined, essence, patient: true })

  /** The times of the blocks of the events; undefined where one of them was replaced while they were read. */
  async function blocksOf(client: PublicClient, raw: RpcLog[], end: Header): Promise<Map<Hex, bigint> | undefined> {
    const times = new Map([[end.hash, end.time]])
    const factory = chain.deployment.factory
    const asked = new Map<number, Hex>()
    for (const { address, blockNumber, blockHash, blockTimestamp } of raw as (RpcLog & { blockTimestamp?: Hex })[]) {
      const number = Number(blockNumber)
      if (blockTimestamp) times.set(blockHash as Hex, BigInt(blockTimestamp))
      // older nodes do not tell times, which deployments need; and what may be replaced is looked at once more
      const untimed = getAddress(address) === factory && !blockTimestamp
      if (untimed || number >= fragileFrom) asked.set(number, blockHash as Hex)
    }
    const headers = await Promise.all([...asked].map(([number]) => headerOf(client, number)))
    for (const [at, [, hash]] of [...asked].entries()) {
      const header = headers[at]
      if (header?.hash !== hash) return undefined
      times.set(hash, header.time)
    }
    return times
  }
}

interface Header {
  hash: Hex
  /** Seconds since 1970. */
  time: bigint
}

/** Hash and time of a block; undefined where the node does not have it. */
async function headerOf(client: PublicClient, block: number): Promise<Header | undefined> {
  const found = await client.request({ method: 'eth_getBlockByNumber', params: [hex(block), false] })
  return found?.hash ? { hash: found.hash, time: BigInt(found.timestamp) } : undefined
}

/** What one node sees: its head, and the hash that it has for the block of a cursor. */
export interface View {
  head: number
  hash?: Hex
}

/** What every node that answers sees. Throws ChainError where none does. */
export function viewsOf({ nodes }: Chain, cursor: Cursor | undefined): Promise<View[]> {
  return nodes.askAll(async (client) => {
    const [head, header] = await Promise.all([client.getBlockNumber(), cursor && headerOf(client, cursor.block)])
    return { head: Number(head), ...(header ? { hash: header.hash } : {}) }
  })
}

/**
 * The newest of the cursors, newest first, that is on the chain as a node sees it that does not have the first of
 * them. Throws ChainError.
 */
export async function commonAncestor({ nodes }: Chain, cursors: Cursor[]): Promise<Cursor | undefined> {
  const common = await nodes.ask(
    async (client) => {
      const headers = await Promise.all(cursors.map(({ block }) => headerOf(client, block)))
      return cursors.findIndex(({ hash }, at) => headers[at]?.hash === hash)
    },
    { accept: (at) => at !== 0 },
  )
  return cursors[common]
}

function hex(value: number): Hex {
  return `0x${value.toString(16)}`
}
