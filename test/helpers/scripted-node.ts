import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Address, getAddress, type Hex, toHex, zeroAddress } from 'viem'
import { chainLog } from './chain-log.js'
import { listeningServer } from './http-server.js'
import { jsonBody } from './storage-server.js'

/** The id of the chain of a scripted node. */
export const SCRIPTED_CHAIN = 8996
/** The address of its factory contract. */
export const SCRIPTED_FACTORY: Address = '0x00000000000000000000000000000000000Fac70'

interface Call {
  id: number
  method: string
  params?: unknown[]
}

/** Answers a request for the events of a range, given the honest answer: true where it has done so itself. */
export type Script = (range: { first: number; last: number; body: string; response: ServerResponse }) => boolean

/** A node of a chain that exists in its answers alone, which may answer requests for events in any way. */
export class ScriptedNode {
  /** Requests for events that are in flight, and the most there were at once. */
  inFlight = 0
  most = 0
  /** Requests that the client has ended before they were answered. */
  abandoned = 0
  script: Script = () => false
  /** What each header has as the hash of its parent. Default: nothing. */
  parent: unknown

  private constructor(
    private readonly server: Server,
    private readonly head: number,
    private readonly logs: (first: number, last: number) => object[],
  ) {
    server.on('request', async (request, response) => {
      const body = await jsonBody<Call | Call[]>(request)
      const calls = [body].flat()
      const answers = calls.map(({ id, method, params = [] }) => ({
        jsonrpc: '2.0',
        id,
        result: this.resultOf(method, params),
      }))
      const text = JSON.stringify(Array.isArray(body) ? answers : answers[0])
      response.setHeader('content-type', 'application/json')
      const filter = calls.find(({ method }) => method === 'eth_getLogs')?.params?.[0]
      if (!filter) return void response.end(text)
      this.inFlight += 1
      this.most = Math.max(this.most, this.inFlight)
      response.on('close', () => {
        this.inFlight -= 1
        if (!response.writableFinished) this.abandoned += 1
      })
      if (!this.script({ ...boundsOf(filter), body: text, response })) response.end(text)
    })
  }

  /** Starts a node whose chain ends at block `head`. */
  static async start(head: number, logs: (first: number, last: number) => object[]): Promise<ScriptedNode> {
    const server = await listeningServer()
    return new ScriptedNode(server, head, logs)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private resultOf(method: string, params: unknown[]): unknown {
    if (method === 'eth_chainId') return toHex(SCRIPTED_CHAIN)
    if (method === 'eth_blockNumber') return toHex(this.head)
    if (method === 'eth_getBlockByNumber') {
      const block = params[0] === 'latest' ? this.head : Number(params[0])
      const header = { number: toHex(block), hash: hashOf(block), parentHash: this.parent, timestamp: toHex(block) }
      return block > this.head ? null : header
    }
    const { first, last } = boundsOf(params[0])
    return this.logs(first, last)
  }
}

function boundsOf(filter: unknown): { first: number; last: number } {
  const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex }
  return { first: Number(fromBlock), last: Number(toBlock) }
}

const hashOf = (block: number): Hex => toHex(block, { size: 32 })

/** The event that deploys the NFT with a number. */
export function deployment(block: number, number: number): object {
  const args = {
    newTokenAddress: nftOf(number),
    templateAddress: zeroAddress,
    tokenName: 'n',
    admin: zeroAddress,
    symbol: 's',
    tokenURI: '',
    transferable: true,
    creator: zeroAddress,
  }
  return eventLog('NFTCreated', SCRIPTED_FACTORY, block, number, args)
}

/** The event by which the NFT with a number gets a state. */
export const stateChange = (block: number, number: number, state: number): object =>
  eventLog('MetadataState', nftOf(number), block, number, {
    updatedBy: zeroAddress,
    state,
    timestamp: 0n,
    blockNumber: 0n,
  })

/** An event of a stranger with so many bytes of data, of a name that the index looks for. */
export function foreignEvent(block: number, number: number, bytes: number): object {
  const log = eventLog('MetadataState', zeroAddress, block, number, {
    updatedBy: zeroAddress,
    state: 0,
    timestamp: 0n,
    blockNumber: 0n,
  })
  return { ...log, data: `0x${'ab'.repeat(bytes)}` }
}

/** Address of the NFT with a number. */
export const nftOf = (number: number): Address => getAddress(toHex(number + 1, { size: 20 }))

function eventLog(eventName: string, address: Address, block: number, index: number, args: Record<string, unknown>) {
  const where = { block, blockHash: hashOf(block), time: block, transactionHash: toHex(index, { size: 32 }), index }
  return chainLog({ address, eventName, args }, where)
}
