import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MemoryBlockstore } from 'blockstore-core'
import { type ImporterOptions, importer } from 'ipfs-unixfs-importer'
import { CID } from 'multiformats/cid'
import { type Block, carOf, depthFirst, entityBytesOf, sizeOf } from './cars.js'
import { atEnd } from './cleanup.js'
import { listeningServer } from './http-server.js'

/** A request for a CAR: its root, the blocks of an honest answer, and the request itself. */
export interface CarRequest {
  root: CID
  blocks: AsyncIterable<Block>
  url: URL
  request: IncomingMessage
}

/** Answers a request for a CAR. */
export type AnswerCar = (asked: CarRequest, response: ServerResponse) => Promise<void> | void

const CAR = 'application/vnd.ipld.car'

/** A trustless gateway over blocks in memory: it serves raw blocks by CID, and CARs. */
export class IpfsGateway {
  private readonly blocks = new MemoryBlockstore()
  /** CIDs whose blocks are served with a flipped bit. */
  readonly lies = new Set<string>()
  /** Whether every answer is an error. */
  down = false
  /** Requests in all, of CARs, and of single blocks. */
  requests = 0
  cars = 0
  singles = 0
  /** URLs and Accept headers of the requests for CARs. */
  readonly asked: { search: string; accept: string | undefined }[] = []
  /** How CARs are answered; default: as they should be. */
  answerCar: AnswerCar = sendCar

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      this.requests += 1
      const url = new URL(request.url ?? '', 'http://gateway')
      const cid = /^\/ipfs\/(\w+)$/.exec(url.pathname)?.[1]
      if (this.down || !cid) return void response.writeHead(this.down ? 503 : 400).end()
      void this.answer(cid, url, request, response).catch(() => response.destroy())
    })
  }

  static async start(): Promise<IpfsGateway> {
    const server = await listeningServer()
    const gateway = new IpfsGateway(server)
    atEnd(() => gateway.close())
    return gateway
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Adds a file in blocks of 256 KiB, or a folder with one. Returns its CID, and those of its blocks in order. */
  async add(
    content: Uint8Array | AsyncIterable<Uint8Array>,
    path = 'file',
    options: ImporterOptions = {},
  ): Promise<{ cid: string; blocks: string[] }> {
    const before = new Set<string>()
    for await (const { cid } of this.blocks.getAll()) before.add(cid.toString())
    let root: CID | undefined
    const how = { rawLeaves: true, cidVersion: 1, ...options } as const
    for await (const entry of importer([{ path, content }], this.blocks as never, how)) root = entry.cid
    const blocks: string[] = []
    for await (const { cid } of this.blocks.getAll()) if (!before.has(cid.toString())) blocks.push(cid.toString())
    return { cid: (root as CID).toString(), blocks }
  }

  /** Adds a block as it is. */
  async put(cid: CID, bytes: Uint8Array): Promise<void> {
    await this.blocks.put(cid, bytes)
  }

  /** Removes a block, as if it had never been added. */
  async remove(cid: string): Promise<void> {
    await this.blocks.delete(CID.parse(cid))
  }

  /** Returns a block, with a flipped bit where the gateway lies about it. */
  readonly get = async (cid: CID): Promise<Uint8Array> => {
    if (cid.multihash.code === 0) return cid.multihash.digest
    const parts: Uint8Array[] = []
    for await (const part of this.blocks.get(cid)) parts.push(part)
    if (!this.lies.has(cid.toString()) && parts.length === 1) return parts[0] as Uint8Array
    const bytes = Buffer.concat(parts)
    if (this.lies.has(cid.toString())) bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1
    return bytes
  }

  async close(): Promise<void> {
    this.server.close()
    this.server.closeAllConnections()
  }

  private async answer(text: string, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const cid = CID.parse(text)
    const root = await this.get(cid).catch(() => undefined)
    const format = url.searchParams.get('format')
    if (!root || !['raw', 'car'].includes(format ?? '')) return void response.writeHead(root ? 400 : 404).end()
    if (format === 'raw') {
      this.singles += 1
      return void response.writeHead(200, { 'content-type': 'application/vnd.ipld.raw' }).end(root)
    }
    this.cars += 1
    this.asked.push({ search: url.search, accept: request.headers.accept })
    const range = entityBytesOf(url.searchParams.get('entity-bytes'), sizeOf(cid, root))
    await this.answerCar({ root: cid, blocks: depthFirst(cid, this.get, range), url, request }, response)
  }
}

/** Sends blocks as a CAR, with the parameters of its type. */
export async function sendCar({ root, blocks }: CarRequest, response: ServerResponse, parameters = 'dups=y') {
  response.writeHead(200, { 'content-type': `${CAR}; version=1; order=dfs; ${parameters}` })
  await pipeline(Readable.from(carOf(root, blocks), { objectMode: false }), response).catch(() => undefined)
}
