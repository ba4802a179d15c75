import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { freshNonce, signatureOf } from '../test/helpers/requests.js'
import type { Deployment, Seat } from './deployment.js'
import { bare } from './lib/bare.js'
import { type Asked, type Got, get } from './lib/http.js'
import { judgeFile, judgeRefusal, type Part } from './lib/judge.js'
import type { Outcome } from './lib/ledger.js'
import type { Random } from './lib/random.js'
import { Requests } from './requests.js'
import { RANGE_STEP } from './storage.js'
import type { Buyer, Sold, TortureWorld } from './world.js'

/** What may be expected of honest requests at a moment. */
export interface Phase {
  /** All of them pass. */
  calm: boolean
  /** Downloads pass, although there is a fault. */
  downloads: boolean
}

/** Those who download, all the time, and look at every byte that they get. */
export class Consumers {
  phase: Phase = { calm: false, downloads: false }
  readonly requests: Requests
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 })
  private running: Promise<void>[] = []
  private stopped = true

  constructor(
    private readonly world: TortureWorld,
    private readonly random: Random,
    /** Milliseconds between two requests of a worker, at most. */
    private readonly pause = 50,
  ) {
    this.requests = new Requests(world.ledger)
  }

  /** Begins, one worker for each buyer but the first, who probes. */
  start(): void {
    this.stopped = false
    this.running = this.world.buyers.slice(1).map((buyer) => this.work(buyer))
  }

  /** Ends, when every request that is under way has its answer, and closes all connections. */
  async stop(): Promise<void> {
    this.stopped = true
    await Promise.all(this.running)
    this.running = []
    this.agent.destroy()
  }

  private async work(buyer: Buyer): Promise<void> {
    const tokens = new Map<Deployment, string>()
    const actions: [weight: number, action: (at: Place) => Promise<void>][] = [
      [4, (at) => this.signedDownload(at, buyer)],
      [4, (at) => this.tokenDownload(at, buyer, tokens)],
      [2, (at) => this.resumed(at, buyer, tokens)],
      [2, (at) => this.toTheLastByte(at, buyer, tokens)],
      [2, (at) => this.replay(at)],
      [1, (at) => this.leaves(at, buyer, tokens)],
      [1, (at) => this.fileinfo(at)],
      [1, (at) => this.initialize(at, buyer)],
      [1, (at) => this.revoked(at, buyer)],
    ]
    const all = actions.flatMap(([weight, action]) => Array<(at: Place) => Promise<void>>(weight).fill(action))
    while (!this.stopped) {
      const at = this.place()
      if (at) await this.random.one(all)(at)
      await sleep(this.random.below(this.pause))
    }
  }

  /** An instance that runs, and a file. */
  private place(): Place | undefined {
    const deployment = this.random.one(this.world.deployments)
    const seats = deployment.seats.filter(({ up }) => up)
    const sold = this.random.one(this.world.sold.filter(({ name }) => name !== 'victim'))
    return seats.length > 0 ? { deployment, seat: this.random.one(seats), sold } : undefined
  }

  /** Notes how a request ended, and that it did not pass although it had to. */
  private async ask(
    what: string,
    { seat }: Place,
    isDownload: boolean,
    work: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const { phase } = this
    const { starts } = seat
    const begun = Date.now()
    const outcome = await work()
    this.world.ledger.asked(what, outcome)
    const due = phase.calm || (isDownload && phase.downloads)
    if (outcome !== 'ok' && due && phase === this.phase && seat.up && seat.starts === starts && !this.stopped)
      this.world.ledger.find(
        `${what} at ${seat.name} was ${outcome} after ${Date.now() - begun} ms, although nothing forbids it: ${this.last}`,
      )
    return outcome
  }

  private last = ''

  private async got(url: string, asked: Asked = {}): Promise<Got> {
    const got = await get(url, asked)
    this.last = `${got.status} ${got.complete ? '' : `cut after ${got.body.length} of ${got.headers['content-length']} bytes `}${got.body.toString('latin1', 0, 60)}`
    return got
  }

  /** One signed request, sent to several instances at once, more than once to each: one passes. */
  private async signedDownload(at: Place, buyer: Buyer): Promise<void> {
    const signed = this.requests.signed(at.sold, buyer)
    const copies = this.random.chance(0.5) ? 1 + this.random.below(4) : 1
    const seats = [at.seat, ...Array.from({ length: copies - 1 }, () => this.random.one(at.deployment.seats))]
    await this.ask(copies > 1 ? 'signed download, copies at once' : 'signed download', at, copies === 1, async () => {
      const outcomes = await Promise.all(
        seats.map(async ({ instance }) => {
          const got = await this.got(instance.url + signed.path)
          if (got.status === 200) this.requests.passed(at.deployment, buyer, signed)
          else if (copies > 1 && got.status === 400) this.world.ledger.copiesRefused += 1
          return judgeFile('signed download', got, at.sold, this.world.ledger)
        }),
      )
      return outcomes.find((outcome) => outcome === 'ok') ?? (outcomes[0] as Outcome)
    })
  }

  /** A request that passed is sent again, to any instance. */
  private async replay({ seat, deployment }: Place): Promise<void> {
    const known = this.requests.used.filter((one) => one.deployment === deployment)
    if (known.length === 0) return
    const { path } = this.random.one(known)
    const got = await get(seat.instance.url + path)
    if (got.status === 200 || got.status === 206) this.world.ledger.find(`a used request passed again at ${seat.name}`)
    else if (got.status >= 400) {
      judgeRefusal('replay', got, this.world.ledger)
      this.world.ledger.copiesRefused += 1
    }
  }

  private async withToken(
    at: Place,
    buyer: Buyer,
    tokens: Map<Deployment, string>,
    use: (headers: Record<string, string>, path: string) => Promise<void>,
  ): Promise<void> {
    let token = tokens.get(at.deployment)
    if (token === undefined || this.random.chance(0.05)) {
      await this.ask('createAuthToken', at, false, async () => {
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

  private tokenDownload(at: Place, buyer: Buyer, tokens: Map<Deployment, string>): Promise<void> {
    return this.withToken(at, buyer, tokens, async (authtoken, path) => {
      const part = this.random.chance(0.5) ? this.part(at.sold) : undefined
      const headers = { ...authtoken, ...(part ? { range: `bytes=${part[0]}-${part[1]}` } : {}) }
      await this.ask(part ? 'range with a token' : 'download with a token', at, true, async () => {
        const got = await this.got(at.seat.instance.url + path, { headers, agent: this.agent })
        return judgeFile('download with a token', got, at.sold, this.world.ledger, part)
      })
    })
  }

  /** Leaves in the middle, and fetches the rest from another instance under the validator of the first one. */
  private resumed(at: Place, buyer: Buyer, tokens: Map<Deployment, string>): Promise<void> {
    return this.withToken(at, buyer, tokens, async (headers, path) => {
      const { content } = at.sold
      const leaveAfter = 1 + this.random.below(content.length)
      const begun = await get(at.seat.instance.url + path, { headers, leaveAfter })
      judgeFile('begun download', begun, at.sold, this.world.ledger)
      if (begun.status !== 200 || begun.complete) return
      const first = Math.floor(begun.body.length / RANGE_STEP) * RANGE_STEP
      if (first >= content.length) return
      const part: Part = [first, content.length - 1]
      const range = { range: `bytes=${first}-`, 'if-range': String(begun.headers.etag) }
      await this.ask('resumed download', at, true, async () => {
        const got = await this.got(at.seat.instance.url + path, { headers: { ...headers, ...range } })
        return judgeFile('resumed download', got, at.sold, this.world.ledger, part)
      })
    })
  }

  /** Reads all that comes over a connection: headers, the bytes of the file, and nothing behind them. */
  private toTheLastByte(at: Place, buyer: Buyer, tokens: Map<Deployment, string>): Promise<void> {
    return this.withToken(at, buyer, tokens, async (headers, path) => {
      await this.ask('download, to the last byte', at, true, async () => {
        const got = await bare(Number(new URL(at.seat.instance.url).port), path, headers.authtoken as string)
        this.last = `${got.status} ${got.body.length} bytes, ${got.body.toString('latin1', 0, 60)}`
        return judgeFile('download, to the last byte', got, at.sold, this.world.ledger)
      })
    })
  }

  private leaves(at: Place, buyer: Buyer, tokens: Map<Deployment, string>): Promise<void> {
    return this.withToken(at, buyer, tokens, async (headers, path) => {
      const leaveAfter = this.random.chance(0.5) ? 0 : this.random.below(at.sold.content.length)
      judgeFile('leaver', await get(at.seat.instance.url + path, { headers, leaveAfter }), at.sold, this.world.ledger)
    })
  }

  private async fileinfo(at: Place): Promise<void> {
    await this.ask('fileinfo with checksum', at, false, () => this.requests.described(at.seat, at.sold))
  }

  private async initialize(at: Place, { key, orders }: Buyer): Promise<void> {
    const { asset, name } = at.sold
    const service = { documentId: asset.did, serviceId: asset.ddo.services[0]?.id as string }
    const reuse: Record<string, string> = this.random.chance(0.5) ? { transferTxId: orders.get(name) as string } : {}
    const query = new URLSearchParams({ ...service, consumerAddress: key.address, ...reuse })
    await this.ask('initialize', at, false, async () => {
      const got = await this.got(`${at.seat.instance.url}/api/services/initialize?${query}`)
      if (got.status === 0 || !got.complete) return 'broken'
      return got.status === 200 ? 'ok' : judgeRefusal('initialize', got, this.world.ledger)
    })
  }

  /** A token that was deleted at one instance is refused by every other at once. */
  private async revoked(at: Place, buyer: Buyer): Promise<void> {
    const token = await this.requests.token(at.seat, at.deployment, buyer)
    if (token === undefined) return
    const { key } = buyer
    const nonce = freshNonce()
    const body = JSON.stringify({
      address: key.address,
      nonce,
      token,
      signature: signatureOf(key, key.address + nonce),
    })
    const headers = { 'content-type': 'application/json' }
    const deleted = await get(`${at.seat.instance.url}/api/services/deleteAuthToken`, {
      method: 'DELETE',
      headers,
      body,
    })
    if (deleted.status !== 200) return
    this.world.ledger.acceptedNonce(at.deployment.kind, key.address, nonce)
    for (const { instance, name } of at.deployment.seats) {
      const got = await get(instance.url + this.requests.path(at.sold, buyer), { headers: { authtoken: token } })
      if (got.status === 200) this.world.ledger.find(`a deleted token passed at ${name}`)
    }
  }
}

interface Place {
  deployment: Deployment
  seat: Seat
  sold: Sold
}
