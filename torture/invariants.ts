import { readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { resident } from '../bench/lib/processes.js'
import { eventually } from '../test/helpers/eventually.js'
import type { Consumers } from './consumers.js'
import type { Seat } from './deployment.js'
import { get } from './lib/http.js'
import type { TortureWorld } from './world.js'

/** Milliseconds in which all has to be well again, and everything given back, without a restart. */
const RECOVERY = 30_000
/** Descriptors beside sockets, and sockets, above those at the beginning: threads and pools come and go. */
const SLACK = { files: 24, sockets: 12 }
/** MiB of one instance: at rest it takes some 150. */
const MEMORY = 400
/** Milliseconds for which the event loop of an instance at rest may be held, on a crowded machine. */
const LAG = 250

/** What an instance holds at rest. */
export interface Holding {
  files: number
  sockets: number
  memory: number
  lag: number
  active: number
}

/** What the checks found, to be shown. */
export interface Checked {
  /** Milliseconds from the end of the fault until all was well. */
  recovered: number
  /** By the name of the instance. */
  holdings: Map<string, Holding>
}

/** The checks after each fault, which are the same for all of them. */
export class Invariants {
  /** What each database's instances hold at first. */
  private readonly first = new Map<string, Holding>()

  constructor(
    private readonly world: TortureWorld,
    private readonly consumers: Consumers,
  ) {}

  /** Waits until every instance is ready, hands out every file, and describes it. Answers the milliseconds. */
  async recovered(): Promise<number> {
    const begun = Date.now()
    let missing = ''
    const allWell = async () => {
      missing = await this.missing()
      return missing === ''
    }
    await eventually(allWell, RECOVERY, 100).catch(() =>
      this.world.ledger.find(`not well ${RECOVERY / 1000} s after the fault: ${missing}`),
    )
    return Date.now() - begun
  }

  /** What must hold while nobody asks for anything. The index is compared where that is wanted. */
  async atRest(recovered: number, { index }: { index: boolean }): Promise<Checked> {
    const holdings = new Map<string, Holding>()
    await Promise.all(
      this.world.deployments.map(async ({ kind, seats }) => {
        for (const seat of seats) holdings.set(seat.name, await this.givenBack(kind, seat))
      }),
    )
    if (index) await this.sameIndex()
    for (const deployment of this.world.deployments) {
      const { ledger } = this.world
      const lost = await deployment.lostNonces(ledger.highestOn(deployment.kind))
      if (lost.length > 0) ledger.find(`${deployment.kind}: nonces of ${lost.join()} went down`)
    }
    return { recovered, holdings }
  }

  /** What is not as it should be yet. */
  private async missing(): Promise<string> {
    const { deployments, sold, buyers } = this.world
    const [prober] = buyers
    if (!prober) throw new Error('There is no buyer.')
    const all = await Promise.all(
      deployments.map(async (deployment) => {
        for (const seat of deployment.seats) {
          const { exitCode, signalCode } = seat.instance.process
          if (exitCode !== null || signalCode !== null)
            return `${seat.name} has ended: ${seat.instance.lines.slice(-3)}`
          const ready = await get(`${seat.instance.url}/ready`, { timeout: 5000 })
          if (ready.status !== 200) return `${seat.name} is not ready: ${ready.status} ${ready.body}`
          const described = await Promise.all(sold.map((file) => this.consumers.requests.described(seat, file)))
          const missing = sold.find((_, at) => described[at] !== 'ok')
          if (missing) return `${seat.name}: ${missing.name} is not described`
          // one after the other, in the order of their nonces
          for (const file of sold.filter(({ name }) => name !== 'large')) {
            const outcome = await this.consumers.requests.probe(seat, deployment, file, prober)
            if (outcome !== 'ok') return `${seat.name}: a download of ${file.name} was ${outcome}`
          }
        }
        return ''
      }),
    )
    return all.filter(Boolean).join('; ')
  }

  /** Waits until an instance holds no more than at the beginning. Answers what it holds. */
  private async givenBack(kind: string, seat: Seat): Promise<Holding> {
    const first = this.first.get(kind)
    let held = await holding(seat)
    const tooMuch = () =>
      [
        held.active !== 0 && `${held.active} downloads active`,
        first && held.files > first.files + SLACK.files && `${held.files} descriptors, at first ${first.files}`,
        first && held.sockets > first.sockets + SLACK.sockets && `${held.sockets} sockets, at first ${first.sockets}`,
        held.memory > MEMORY && `${held.memory} MiB`,
        held.lag > LAG && `the event loop was held for ${held.lag} ms`,
      ].filter(Boolean)
    await eventually(
      async () => {
        if (tooMuch().length > 0) held = await holding(seat)
        return tooMuch().length === 0
      },
      RECOVERY,
      200,
    ).catch(() => this.world.ledger.find(`${seat.name} at rest after ${RECOVERY / 1000} s: ${tooMuch().join(', ')}`))
    if (!first) this.first.set(kind, held)
    return held
  }

  /** The index of every database says what that of a new instance on a new one says. */
  private async sameIndex(): Promise<void> {
    const { world } = this
    const fresh = await world.fresh()
    try {
      for (const deployment of [fresh, ...world.deployments]) await world.indexed(deployment, RECOVERY)
      const expected = await fresh.index()
      for (const deployment of world.deployments) {
        const rows = await deployment.index()
        const other = rows.find((row, at) => row !== expected[at]) ?? expected[rows.length]
        if (other !== undefined) world.ledger.find(`the index of ${deployment.kind} is not that of a new one: ${other}`)
      }
    } catch (error) {
      world.ledger.find(`the index does not catch up: ${(error as Error).message}`)
    } finally {
      await fresh.close()
    }
  }
}

/** What an instance holds: descriptors, memory, and the longest that its loop is held within a second. */
export async function holding({ instance }: Seat): Promise<Holding> {
  const { pid } = instance.process
  if (pid === undefined) throw new Error('The instance has no process.')
  const metrics = metricsOf(instance.lines)
  await get(metrics)
  await sleep(1000)
  const text = (await get(metrics)).body.toString()
  const value = (name: string) => Number(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'm').exec(text)?.[1])
  const kinds = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      return undefined // closed meanwhile
    }
  })
  const sockets = kinds.filter((kind) => kind?.startsWith('socket:')).length
  return {
    files: kinds.filter((kind) => kind !== undefined).length - sockets,
    sockets,
    memory: Math.round(resident(pid)),
    lag: Math.round(value('tidegate_nodejs_eventloop_lag_max_seconds') * 1000),
    active: value('tidegate_downloads_active'),
  }
}

function metricsOf(lines: string[]): string {
  const line = lines.find((one) => one.includes('metrics are served')) ?? '{}'
  return `${(JSON.parse(line) as { url?: string }).url}/metrics`
}
