import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployment, Seat } from './deployment.js'
import { rawGet } from './lib/bare.js'
import { get, type Received, type RequestOptions } from './lib/http.js'
import { judgeFile, judgeRefusal, type Part } from './lib/judge.js'
import type { Outcome } from './lib/ledger.js'
import type { Random } from './lib/random.js'
import { Requests, type Used } from './requests.js'
import { RANGE_STEP } from './storage.js'
import type { Buyer, Sold, TortureWorld } from './world.js'

/** What is expected of honest requests at the moment. */
export interface Phase {
  /** All must pass. */
  calm: boolean
  /** Downloads must pass in spite of a fault. */
  downloads: boolean
}

/** Consumers that send requests continuously, and verify every byte that they receive. */
export class Consumers {
  phase: Phase = { calm: false, downloads: false }
  readonly requests: Requests
  /** Tokens that consumers tried to delete. */
  deletions = 0
  protected readonly agent = new Agent({ keepAlive: true, maxSockets: 64 })
  private running: Promise<void>[] = []
  private stopped = true

  constructor(
    protected readonly world: TortureWorld,
    protected readonly random: Random,
    /** Maximum milliseconds between two requests of a worker. */
    private readonly pause = 50,
  ) {
    this.requests = new Requests(world.ledger)
  }

  /** Starts one worker for each buyer except the first, which is reserved for probes. */
  start(): void {
    this.stopped = false
    this.running = this.world.buyers.slice(1).map((buyer) => this.work(buyer))
  }

  /** Waits for the requests in flight, then closes all connections. */
  async stop(): Promise<void> {
    this.stopped = true
    await Promise.all(this.running)
    this.running = []
    this.agent.destroy()
  }

  /** What consumers do, and how often. */
  protected actions(buyer: Buyer, tokens: Map<Deployment, string>): [weight: number, action: Action][] {
    return [
      [4, (at) => this.signedDownload(at, buyer)],
      [4, (at) => this.tokenDownload(at, buyer, tokens)],
      [2, (at) => this.resumedDownload(at, buyer, tokens)],
      [2, (at) => this.rawDownload(at, buyer, tokens)],
      [2, (at) => this.replay(at)],
      [1, (at) => this.abortedDownload(at, buyer, tokens)],
      [1, (at) => this.fileinfo(at)],
      [1, (at) => this.initialize(at, buyer)],
      [1, (at) => this.signedLink(at, buyer)],
      [1, (at) => this.revokedToken(at, buyer)],
    ]
  }

  /** Resolves when a worker may act again. */
  protected async pace(): Promise<void> {
    await sleep(this.random.below(this.pause))
  }

  /** Called before a request. Returns whether it had to pass, when it has ended. */
  protected expect(_what: string, isDownload: boolean): () => boolean {
    const { phase } = this
    return () => (phase.calm || (isDownload && phase.downloads)) && phase === this.phase
  }

  private async work(buyer: Buyer): Promise<void> {
    const actions = this.actions(buyer, new Map())
    const all = actions.flatMap(([weight, action]) => Array<Action>(weight).fill(action))
    while (!this.stopped) {
      const at = this.target()
      if (at) await this.random.one(all)(at)
      await this.pace()
    }
  }

  /** Picks a running instance and a file. */
  protected target(): Target | undefined {
    const deployment = this.random.one(this.world.deployments)
    const seats = deployment.seats.filter(({ up }) => up)
    const sold = this.random.one(this.world.sold.filter(({ name }) => name !== 'victim'))
    return seats.length > 0 ? { deployment, seat: this.random.one(seats), sold } : undefined
  }

  /** Records the outcome of a request, and a finding if it had to pass and did not. */
  protected async record(
    what: string,
    { seat }: Target,
    isDownload: boolean,
    work: (get: Get) => Promise<Outcome>,
  ): Promise<Outcome> {
    const hadToPass = this.expect(what, isDownload)
    const { starts } = seat
    const begun = Date.now()
    let last = ''
    const outcome = await work(async (url, options) => {
      const got = await get(url, options)
      last = summary(got)
      return got
    })
    this.world.ledger.countRequest(what, outcome)
    if (outcome !== 'ok' && hadToPass() && seat.up && seat.starts === starts && !this.stopped)
      this.world.ledger.addFinding(
        `${what} at ${seat.name} was ${outcome} after ${Date.now() - begun} ms, although it had to pass: ${last}`,
      )
    return outcome
  }

  /** Sends one signed request concurrently to several instances, possibly more than once to each: only one may pass. */
  private async signedDownload(at: Target, buyer: Buyer): Promise<void> {
    const signed = this.requests.signed(at.sold, buyer)
    const copies = this.random.chance(0.5) ? 1 + this.random.below(4) : 1
    const seats = [at.seat, ...Array.from({ length: copies - 1 }, () => this.random.one(at.deployment.seats))]
    await this.record(
      copies > 1 ? 'signed download, copies at once' : 'signed download',
      at,
      copies === 1,
      async (get) => {
        const outcomes = await Promise.all(
          seats.map(async ({ instance }) => {
            const got = await get(instance.url + signed.path)
            if (got.status === 200) this.requests.recordPassed(at.deployment, buyer, signed)
            else if (copies > 1 && got.status === 400) this.world.ledger.copiesRefused += 1
            return judgeFile('signed download', got, at.sold, this.world.ledger)
          }),
        )
        return outcomes.find((outcome) => outcome === 'ok') ?? (outcomes[0] as Outcome)
      },
    )
  }

  /** Replays a request that passed, to any instance. */
  private async replay({ seat, deployment }: Target): Promise<void> {
    const used = this.requests.used.filter((request) => request.deployment === deployment)
    if (used.length === 0) return
    await this.replayAt(seat, this.random.one(used))
  }

  /** Sends a used request to an instance, which must refuse it. */
  async replayAt(seat: Seat, { path, options }: Used): Promise<void> {
    const got = await get(seat.instance.url + path, options)
    if (got.status >= 200 && got.status < 300)
      this.world.ledger.addFinding(`a used request passed again at ${seat.name}`)
    else if (got.status >= 400) {
      judgeRefusal('replay', got, this.world.ledger)
      this.world.ledger.copiesRefused += 1
    }
  }

  protected async withToken(
    at: Target,
    buyer: Buyer,
    tokens: Map<Deployment, string>,
    use: (headers: Record<string, string>, path: string) => Promise<void>,
  ): Promise<void> {
    let token = tokens.get(at.deployment)
    if (token === undefined || this.random.chance(0.05)) {
      await this.record('createAuthToken', at, false, async () => {
        token = await this.requests.token(at.seat, at.deployment, buyer)
        return token === undefined ? 'refused' : 'ok'
      })
      if (token === undefined) return
      tokens.set(at.deployment, token)
    }
    await use({ authtoken: token }, this.requests.path(at.sold, buyer))
  }

  private part({ content }: Sold): Part {
    const steps = Math.floor(content.length / RANGE_STEP)
    const first = this.random.below(steps) * RANGE_STEP
    return [first, Math.min(content.length - 1, first + this.random.below(content.length - first))]
  }

  private tokenDownload(at: Target, buyer: Buyer, tokens: Map<Deployment, string>): Promise<void> {
    return this.withToken(at, buyer, tokens, async (authtoken, path) => {
      const part = this.random.chance(0.5) ? this.part(at.sold) : undefined
      const headers = { ...authtoken, ...(part ? { range: `bytes=${part[0]}-${part[1]}` } : {}) }
      await this.record(part ? 'range with a token' : 'download with a token', at, true, async (get) => {
        const got = await get(at.seat.instance.url + path, { headers, agent: this.agent })
        return judgeFile('download with a token', got, at.sold, this.world.ledger, part)
      })
    })
  }

  /** Aborts a download, and resumes it with If-Range and the validator of the first response. */
  private resumedDownload(at: Target, buyer: Buyer, tokens: Map<Deployment, string>): Promise<void> {
    return this.withToken(at, buyer, tokens, async (headers, path) => {
      const { content } = at.sold
      const abortAfter = 1 + this.random.below(content.length)
      const begun = await get(at.seat.instance.url + path, { headers, abortAfter })
      judgeFile('begun download', begun, at.sold, this.world.ledger)
      if (begun.status !== 200 || begun.complete) return
      const first = Math.floor(begun.body.length / RANGE_STEP) * RANGE_STEP
      if (first >= content.length) return
      const part: Part = [first, content.length - 1]
      const range = { range: `bytes=${first}-`, 'if-range': String(begun.headers.etag) }
      await this.record('resumed download', at, true, async (get) => {
        const got = await get(at.seat.instance.url + path, { headers: { ...headers, ...range } })
        return judgeFile('resumed download', got, at.sold, this.world.ledger, part)
      })
    })
  }

  /** Reads every byte of a connection: headers and the file, and nothing after it. */
  private rawDownload(at: Target, buyer: Buyer, tokens: Map<Deployment, string>): Promise<void> {
    return this.withToken(at, buyer, tokens, async (headers, path) => {
      await this.record('download, to the last byte', at, true, async () => {
        const got = await rawGet(Number(new URL(at.seat.instance.url).port), path, headers.authtoken as string)
        return judgeFile('download, to the last byte', got, at.sold, this.world.ledger)
      })
    })
  }

  private abortedDownload(at: Target, buyer: Buyer, tokens: Map<Deployment, string>): Promise<void> {
    return this.withToken(at, buyer, tokens, async (headers, path) => {
      const abortAfter = this.random.chance(0.5) ? 0 : this.random.below(at.sold.content.length)
      const got = await get(at.seat.instance.url + path, { headers, abortAfter })
      judgeFile('aborted download', got, at.sold, this.world.ledger)
    })
  }

  private async fileinfo(at: Target): Promise<void> {
    await this.record('fileinfo with checksum', at, false, () => this.requests.describe(at.seat, at.sold))
  }

  private async initialize(at: Target, { key, orders }: Buyer): Promise<void> {
    const { asset, name } = at.sold
    const service = { documentId: asset.did, serviceId: asset.ddo.services[0]?.id as string }
    const reuse: Record<string, string> = this.random.chance(0.5) ? { transferTxId: orders.get(name) as string } : {}
    const query = new URLSearchParams({ ...service, consumerAddress: key.address, ...reuse })
    await this.record('initialize', at, false, async (get) => {
      const got = await get(`${at.seat.instance.url}/api/services/initialize?${query}`)
      if (got.status === 0 || !got.complete) return 'broken'
      return got.status === 200 ? 'ok' : judgeRefusal('initialize', got, this.world.ledger)
    })
  }

  /** Deletes a token at one instance; every other instance must refuse it immediately. */
  private async revokedToken(at: Target, buyer: Buyer): Promise<void> {
    const token = await this.requests.token(at.seat, at.deployment, buyer)
    if (token === undefined) return
    this.deletions += 1
    const deleted = await this.record('deleteAuthToken', at, false, () =>
      this.requests.deleteToken(at.seat, at.deployment, buyer, token),
    )
    if (deleted !== 'ok') return
    const request = { path: this.requests.path(at.sold, buyer), options: { headers: { authtoken: token } } }
    this.requests.recordDeleted({ deployment: at.deployment, at: at.seat, ...request })
    for (const { instance, name } of at.deployment.seats) {
      const got = await get(instance.url + request.path, request.options)
      if (got.status === 200) this.world.ledger.addFinding(`a deleted token passed at ${name}`)
    }
  }

  private async signedLink(at: Target, buyer: Buyer): Promise<void> {
    await this.record('download link, signed', at, false, () =>
      this.requests.link(at.seat, at.deployment, at.sold, buyer),
    )
  }
}

/** What a consumer does at an instance. */
export type Action = (at: Target) => Promise<void>

/** Sends a request, whose response is part of a finding. */
type Get = (url: string, options?: RequestOptions) => Promise<Received>

function summary({ status, complete, headers, body }: Received): string {
  const cut = complete ? '' : `cut after ${body.length} of ${headers['content-length']} bytes `
  return `${status} ${cut}${body.toString('latin1', 0, 60)}`
}

export interface Target {
  deployment: Deployment
  seat: Seat
  sold: Sold
}
