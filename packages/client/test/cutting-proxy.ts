import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A TCP proxy in front of a provider that cuts downloads and uploads in the middle. Other requests pass. */
export class CuttingProxy {
  /** Bytes after which each next download is cut; later ones pass. */
  cuts: number[] = []
  /** Numbers of requested and of cut downloads. */
  downloads = 0
  cut = 0
  /** Bytes after which each next part of an upload is cut; later ones pass. */
  uploadCuts: number[] = []
  /** Numbers of sent parts, and of requests that began an upload. */
  parts = 0
  uploads = 0
  /** Number of creation responses to lose, and a callback for each. */
  lostAnswers = 0
  onLost: () => void = () => undefined
  /** Called with each part's request before it is passed on. */
  onPart: (request: string) => void = () => undefined
  /** Called with each download's request before it is passed on. */
  onDownload: (request: string) => void = () => undefined
  private readonly open = new Set<Socket>()

  private constructor(
    private readonly server: Server,
    /** The port of the provider. */
    public target: number,
  ) {
    server.on('connection', (client) => this.join(client))
  }

  static async before(url: string): Promise<CuttingProxy> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new CuttingProxy(server, Number(new URL(url).port))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Cuts all open connections. */
  cutAll(): void {
    for (const socket of this.open) socket.destroy()
  }

  close(): void {
    this.server.close()
    this.cutAll()
  }

  private join(client: Socket): void {
    const back = connect(this.target, '127.0.0.1')
    let left: number | undefined
    let unsent: number | undefined
    let isBeginning = false
    for (const socket of [client, back]) {
      this.open.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => this.open.delete(socket))
    }
    client.once('close', () => back.destroy())
    back.once('close', () => client.destroy())
    client.on('data', (data) => {
      const text = data.toString('latin1')
      if (text.startsWith('GET /api/services/download')) {
        this.downloads += 1
        this.onDownload(text)
        left = this.cuts.shift()
      }
      isBeginning = text.startsWith('POST /api/services/uploads')
      if (isBeginning) this.uploads += 1
      if (text.startsWith('PATCH /api/services/uploads')) {
        this.parts += 1
        this.onPart(text)
        unsent = this.uploadCuts.shift()
      }
      if (unsent !== undefined) {
        unsent -= data.length
        if (unsent < 0) {
          this.cut += 1
          client.destroy()
        }
      }
    })
    back.on('data', (data: Buffer) => {
      if (isBeginning && this.lostAnswers > 0) {
        this.lostAnswers -= 1
        this.onLost()
        return void client.destroy()
      }
      if (left === undefined) return void client.write(data)
      client.write(data.subarray(0, left))
      left -= data.length
      if (left > 0) return
      this.cut += 1
      left = undefined
      // the written bytes arrive, the rest never does
      client.end()
      back.destroy()
    })
    client.pipe(back)
  }
}
