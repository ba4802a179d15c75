import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { type Hex, toHex } from 'viem'
import { BEGINNING, blockHash, CHAIN_ID, FACTORY, SyntheticBlocks } from './lib/synthetic-blocks.js'

/**
 * A JSON-RPC node of a synthetic chain. Every block holds the same number of assets, each with data NFT, datatoken, price and
 * encrypted document, and of orders. Measures the index alone, at sizes that take hours on a real local chain. The argument is JSON.
 * Prints its URL.
 */
const {
  blocks,
  perBlock,
  orders = 0,
  delay = 0,
  range = Number.POSITIVE_INFINITY,
} = JSON.parse(process.argv[2] as string) as SyntheticOptions

/** A synthetic chain, and the node that has it. */
export interface SyntheticOptions {
  blocks: number
  /** Assets in a block. */
  perBlock: number
  /** Orders for each asset, in its block and later ones. */
  orders?: number
  /** Milliseconds before each response. */
  delay?: number
  /** The largest range of blocks that it gives at once. */
  range?: number
}

/** What is asked for. */
interface Filter {
  fromBlock: Hex
  toBlock: Hex
  address?: string | string[]
  topics?: (string | string[] | null)[]
}

interface Call {
  id: number
  method: string
  params?: unknown[]
}

const events = new SyntheticBlocks({ blocks, perBlock, orders })

/** Topics of the events, of which a filter by the first one that names all of them keeps all. */
const KINDS = 3

function isForAll({ address, topics = [] }: Filter): boolean {
  return address === undefined && topics.length === 1 && [topics[0]].flat().length >= KINDS
}

/** The result of eth_getLogs as JSON. */
function* logsOf(filter: Filter): Generator<string> {
  let separator = ''
  yield '['
  for (const block of events.read(Number(filter.fromBlock), Number(filter.toBlock))) {
    const found = isForAll(filter) ? block : JSON.stringify(selected(JSON.parse(`[${block}]`), filter)).slice(1, -1)
    if (found === '') continue
    yield separator + found
    separator = ','
  }
  yield ']'
}

function selected(logs: { address: string; topics: string[] }[], { address, topics = [] }: Filter) {
  const emitters = address === undefined ? undefined : new Set([address].flat().map((one) => one.toLowerCase()))
  return logs.filter(
    (log) =>
      (!emitters || emitters.has(log.address)) &&
      topics.every((wanted, at) => wanted === null || [wanted].flat().includes(log.topics[at] as string)),
  )
}

function resultOf(method: string, params: unknown[]): unknown {
  if (method === 'eth_chainId') return toHex(CHAIN_ID)
  if (method === 'eth_blockNumber') return toHex(blocks)
  if (method === 'eth_getCode') return '0x60'
  if (method !== 'eth_getBlockByNumber') return []
  const block = params[0] === 'latest' ? blocks : Number(params[0])
  return block > blocks ? null : { number: toHex(block), hash: blockHash(block), timestamp: toHex(BEGINNING + block) }
}

const TOO_LARGE = { code: -32005, message: 'range too large' }

function* answerTo({ id, method, params = [] }: Call): Generator<string> {
  const filter = params[0] as Filter
  if (method !== 'eth_getLogs') yield JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) })
  else if (Number(filter.toBlock) - Number(filter.fromBlock) >= range)
    yield JSON.stringify({ jsonrpc: '2.0', id, error: TOO_LARGE })
  else {
    yield `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`
    yield* logsOf(filter)
    yield '}'
  }
}

function* answersTo(asked: Call | Call[]): Generator<string> {
  if (!Array.isArray(asked)) return yield* answerTo(asked)
  for (const [at, call] of asked.entries()) {
    yield at === 0 ? '[' : ','
    yield* answerTo(call)
  }
  yield ']'
}

const server = createServer(async (request, response) => {
  const asked = JSON.parse((await buffer(request)).toString()) as Call | Call[]
  if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay))
  response.setHeader('content-type', 'application/json')
  // one that asks for more than it takes hangs up
  await pipeline(Readable.from(answersTo(asked)), response).catch(() => undefined)
})
// one that closes idle connections would look unreachable to a service that is busy with a commit
server.keepAliveTimeout = 0
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, factory: FACTORY })}\n`,
  )
})
