import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MemoryBlockstore } from 'blockstore-core'
import { importer } from 'ipfs-unixfs-importer'
import { CID } from 'multiformats/cid'

/** A real trustless gateway over blocks in memory: raw blocks by CID, and nothing else. */
export class IpfsGateway {
  private readonly blocks = new MemoryBlockstore()
  /** CIDs whose blocks are answered with a flipped bit. */
  readonly lies = new Set<string>()
  /** Whether every answer is an error. */
  down = false
  requests = 0

  private constructor(private readonly server: Server) {
    server.on('request', async (request, response) => {
      this.requests += 1
      const match = /^\/ipfs\/(\w+)\?format=raw$/.exec(request.url ?? '')
      if (this.down || !match) return void response.writeHead(this.down ? 503 : 400).end()
      try {
        const parts: Uint8Array[] = []
        for await (const part of this.blocks.get(CID.parse(match[1] as string))) parts.push(part)
        const bytes = Buffer.concat(parts)
        if (this.lies.has(match[1] as string)) bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1
        response.writeHead(200, { 'content-type': 'application/vnd.ipld.raw' }).end(bytes)
      } catch {
        response.writeHead(404).end()
      }
    })
  }

  static async start(): Promise<IpfsGateway> {
    const server = createServer()
    // adding a large file keeps this process busy for longer than idle connections are kept by default
    server.keepAliveTimeout = 0
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new IpfsGateway(server)
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Adds a file in blocks of 256 KiB, or a folder with one. Answers its CID, and those of its blocks in their order. */
  async add(
    content: Uint8Array | AsyncIterable<Uint8Array>,
    path = 'file',
  ): Promise<{ cid: string; blocks: string[] }> {
    const before = new Set<string>()
    for await (const { cid } of this.blocks.getAll()) before.add(cid.toString())
    let root: CID | undefined
    for await (const entry of importer([{ path, content }], this.blocks as never, { rawLeaves: true, cidVersion: 1 }))
      root = entry.cid
    const blocks: string[] = []
    for await (const { cid } of this.blocks.getAll()) if (!before.has(cid.toString())) blocks.push(cid.toString())
    return { cid: (root as CID).toString(), blocks }
  }

  async close(): Promise<void> {
    this.server.close()
    this.server.closeAllConnections()
  }
}
