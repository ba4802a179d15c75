import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  getAbiItem,
  getAddress,
  type Hex,
  keccak256,
  toHex,
  zeroAddress,
} from 'viem'
import { didOf } from '../src/assets/ddo.js'
import { EVENTS } from '../src/chain/abi.js'
import { encrypt } from '../src/crypto/ecies.js'
import { providerKey } from '../src/crypto/keys.js'

/**
 * A JSON-RPC node of a chain that is computed as it is asked for: so many assets in each block, each with data NFT,
 * datatoken and encrypted document. For measuring the index alone, in sizes that a real local chain takes hours for.
 * Prints its URL; the arguments are the number of blocks and the assets in each.
 */
const [blocks, assetsPerBlock] = process.argv.slice(2).map(Number) as [number, number]
const CHAIN_ID = 8996
const FACTORY = getAddress(`0x${'fa'.repeat(20)}`)
const KEY = providerKey(`0x${'11'.repeat(32)}`)

const addressOf = (kind: string, at: number): Address =>
  getAddress(keccak256(toHex(`${kind}${at}`)).slice(0, 42) as Hex)
const hashOf = (block: number): Hex => keccak256(toHex(`block${block}`))

function log(block: number, index: number, address: Address, eventName: string, args: Record<string, unknown>) {
  const item = getAbiItem({ abi: EVENTS, name: eventName } as never) as unknown as {
    inputs: { name: string; indexed?: boolean }[]
  }
  const plain = item.inputs.filter(({ indexed }) => !indexed)
  return {
    address,
    topics: encodeEventTopics({ abi: EVENTS, eventName, args } as never),
    data: encodeAbiParameters(plain as never, plain.map(({ name }) => args[name]) as never),
    blockNumber: toHex(block),
    blockHash: hashOf(block),
    blockTimestamp: toHex(1_700_000_000 + block),
    transactionHash: keccak256(toHex(`tx${block}-${index}`)),
    transactionIndex: '0x0',
    logIndex: toHex(index),
    removed: false,
  }
}

function logsOf(block: number) {
  return Array.from({ length: assetsPerBlock }, (_, at) => {
    const id = block * assetsPerBlock + at
    const [nft, token] = [addressOf('nft', id), addressOf('token', id)]
    const services = [
      {
        id: 'a',
        type: 'access',
        files: `0x${'ab'.repeat(600)}`,
        datatokenAddress: token,
        serviceEndpoint: 'http://x',
        timeout: 0,
      },
    ]
    const description = `Tides of station ${id}. `.repeat(40)
    const ddo = {
      id: didOf(nft, CHAIN_ID),
      version: '4.1.0',
      chainId: CHAIN_ID,
      nftAddress: nft,
      metadata: { description },
      services,
    }
    const plain = Buffer.from(JSON.stringify(ddo))
    const common = { templateAddress: zeroAddress, symbol: 's', creator: nft }
    return [
      log(block, 3 * at, FACTORY, 'NFTCreated', {
        ...common,
        newTokenAddress: nft,
        tokenName: 'n',
        admin: nft,
        tokenURI: '',
        transferable: true,
      }),
      log(block, 3 * at + 1, FACTORY, 'TokenCreated', { ...common, newTokenAddress: token, name: 'd', cap: 1n }),
      log(block, 3 * at + 2, nft, 'MetadataCreated', {
        createdBy: nft,
        state: 0,
        decryptorUrl: '',
        flags: '0x02',
        data: toHex(encrypt(KEY.publicKey, plain)),
        metaDataHash: `0x${createHash('sha256').update(plain).digest('hex')}`,
        timestamp: 1_700_000_000n,
        blockNumber: BigInt(block),
      }),
    ]
  }).flat()
}

function answer(method: string, params: unknown[]): unknown {
  if (method === 'eth_chainId') return toHex(CHAIN_ID)
  if (method === 'eth_blockNumber') return toHex(blocks)
  if (method === 'eth_getBlockByNumber') {
    const block = Number(params[0])
    return block > blocks
      ? null
      : { number: toHex(block), hash: hashOf(block), timestamp: toHex(1_700_000_000 + block) }
  }
  const { fromBlock, toBlock } = params[0] as { fromBlock: Hex; toBlock: Hex }
  const first = Math.max(1, Number(fromBlock))
  const wanted = Array.from({ length: Number(toBlock) - first + 1 }, (_, at) => first + at)
  return wanted.flatMap(logsOf)
}

interface Call {
  id: number
  method: string
  params?: unknown[]
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[]
  const results = [body]
    .flat()
    .map(({ id, method, params = [] }) => ({ jsonrpc: '2.0', id, result: answer(method, params) }))
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(Array.isArray(body) ? results : results[0]))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, factory: FACTORY })}\n`,
  )
})
