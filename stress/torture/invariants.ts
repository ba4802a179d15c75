import { readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { resident } from '../../bench/lib/processes.js'
import { eventually } from '../../test/helpers/eventually.js'
import type { Consumers } from './consumers.js'
import type { Seat } from './deployment.js'
import { get } from './lib/http.js'
import type { TortureWorld } from './world.js'

/** Milliseconds within which the service must recover and release all resources, without a restart, on a free machine. */
const RECOVERY = 30_000
/** Allowed growth of descriptors and sockets since the start: threads and pools vary. */
const SLACK = { files: 24, sockets: 12 }
/** Maximum MiB of one instance; at rest it needs about 150. */
const MEMORY = 400
/** Maximum event-loop delay of an instance at rest in milliseconds, on a free machine. */
const LAG = 250

/** The resources of an instance at rest. */
export interface Resources {
  /** Descriptors other than sockets. */
  files: number
  sockets: number
  /** Resident, in MiB. */
  memory: number
  /** Maximum event-loop delay, in milliseconds. */
  lag: number
  /** Downloads in flight. */
  active: number
}

/** The results of the checks, for the report. */
export interface Checked {
  /** Milliseconds from the end of the fault to full recovery. */
  recovered: number
  /** By the name of the instance. */
  holdings: Map<string, Resources>
}

/** The checks after each fault. */
export class Invariants {
  /** Resources at the start, by database. */
  private readonly first = new Map<string, Resources>()

  constructor(
    private readonly world: TortureWorld,
    private readonly consumers: Consumers,
    /** How many times as long everything may take, since the machine has other work. */
    private readonly patience: () => number = () => 1,
  ) {}

  private get recovery(): number {
    return RECOVERY * this.patience()
  }

  /** Waits until every instance is ready, and serves and describes every file. Returns the milliseconds. */
  async waitForRecovery(): Promise<number> {
    const begun = Date.now()
    let problems = ''
    const hasRecovered = async () => {
      problems = await this.problems()
      return problems === ''
    }
    await eventually(hasRecovered, this.recovery, 100).catch(() =>
      this.world.ledger.addFinding(`not recovered ${this.recovery / 1000} s after the fault: ${problems}`),
    )
    return Date.now() - begun
  }

  /** Checks what must hold without load. Compares the index if `index` is set. */
  async checkAtRest(recovered: number, { index }: { index: boolean }): Promise<Checked> {
    const holdings = new Map<string, Resources>()
    await Promise.all(
      this.world.deployments.map(async ({ kind, seats }) => {
        for (const seat of seats) holdings.set(seat.name, await this.waitForRelease(kind, seat))
      }),
    )
    if (index) await this.compareIndex()
    for (const deployment of this.world.deployments) {
      const { ledger } = this.world
      const lost = await deployment.lostNonces(ledger.highestOn(deployment.kind))
      if (lost.length > 0) ledger.addFinding(`${deployment.kind}: nonces of ${lost.join()} decreased`)
    }
    return { recovered, holdings }
  }

  /** Describes what has not recovered yet; empty if everything has. */
  private async problems(): Promise<string> {
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
          const metrics = (await get(metricsOf(seat.instance.lines), { timeout: 5000 })).body.toString()
          if (/^tidegate_node_up{[^}]*} 0$/m.test(metrics)) return `${seat.name} counts a node as down`
          const described = await Promise.all(sold.map((file) => this.consumers.requests.describe(seat, file)))
          const missing = sold.find((_, at) => described[at] !== 'ok')
          if (missing) return `${seat.name}: ${missing.name} is not described`
          // sequentially, in the order of their nonces
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

  /** Waits until an instance has released its resources, down to those at the start. Returns what it uses. */
  private async waitForRelease(kind: string, seat: Seat): Promise<Resources> {
    const first = this.first.get(kind)
    let held = await measureResources(seat)
    const excess = () =>
      [
        held.active !== 0 && `${held.active} downloads active`,
        first && held.files > first.files + SLACK.files && `${held.files} descriptors, at first ${first.files}`,
        first && held.sockets > first.sockets + SLACK.sockets && `${held.sockets} sockets, at first ${first.sockets}`,
        held.memory > MEMORY && `${held.memory} MiB`,
        held.lag > LAG * this.patience() && `event-loop delay ${held.lag} ms`,
      ].filter(Boolean)
    await eventually(
      async () => {
        if (excess().length > 0) held = await measureResources(seat)
        return excess().length === 0
      },
      this.recovery,
      200,
    ).catch(() =>
      this.world.ledger.addFinding(`${seat.name} at rest after ${this.recovery / 1000} s: ${excess().join(', ')}`),
    )
    if (!first) this.first.set(kind, held)
    return held
  }

  /** Compares the index of every database with that of a new instance on an empty one. */
  private async compareIndex(): Promise<void> {
    const { world } = this
    const fresh = await world.fresh()
    try {
      for (const deployment of [fresh, ...world.deployments]) await world.indexed(deployment, this.recovery)
      const expected = await fresh.index()
      for (const deployment of world.deployments) {
        const rows = await deployment.index()
        const difference = rows.find((row, at) => row !== expected[at]) ?? expected[rows.length]
        if (difference !== undefined)
          world.ledger.addFinding(`the index of ${deployment.kind} differs from a new one: ${difference}`)
      }
    } catch (error) {
      world.ledger.addFinding(`the index does not catch up: ${(error as Error).message}`)
    } finally {
      await fresh.close()
    }
  }
}

/** Measures descriptors, memory after a garbage collection, and the maximum event-loop delay within a second afterwards. */
export async function measureResources({ instance }: Seat): Promise<Resources> {
  const { pid } = instance.process
  if (pid === undefined) throw new Error('The instance has no process.')
  // what is garbage by now would be taken for growth: see the preload
  instance.process.kill('SIGUSR2')
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
  const line = lines.find((line) => line.includes('metrics are served')) ?? '{}'
  return `${(JSON.parse(line) as { url?: string }).url}/metrics`
}
