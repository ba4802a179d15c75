import { readFileSync, writeFileSync } from 'node:fs'
import { eventually } from '../../test/helpers/eventually.js'
import { openFilesOf } from '../../test/helpers/measures.js'
import type { Deployment, Seat } from '../torture/deployment.js'
import type { Invariants, Resources } from '../torture/invariants.js'
import type { TortureWorld } from '../torture/world.js'
import { excessOf, type Held, measureDatabase } from './database.js'

/** Milliseconds within which a database must be back to what it held, on a free machine. */
const SETTLE = 60_000
/** Maximum MiB that an instance may have needed at any time since the last quiet phase. */
const PEAK = 600

/** An instance at rest. */
export interface Rest extends Resources {
  /** The highest resident memory since the last quiet phase, in MiB. */
  peak: number
  starts: number
}

/** Everything that was measured in one quiet phase. */
export interface Quiet {
  /** Seconds since the beginning of the run. */
  at: number
  /** Milliseconds until all had recovered. */
  recovered: number
  instances: Map<string, Rest>
  databases: Map<string, Held>
}

/** The checks of quiet phases. */
export class QuietPhases {
  private readonly first = new Map<string, Held>()

  constructor(
    private readonly world: TortureWorld,
    private readonly invariants: Invariants,
    /** Rows that tables which grow by design may have by now. */
    private readonly expected: () => Record<string, number>,
    private readonly patience: () => number,
    private readonly begun: number,
    /** Milliseconds for which no more connections may close before anything is measured: pools close idle ones. */
    private readonly settle: number,
  ) {}

  /** Begins to measure the highest memory anew. */
  forgetPeaks(): void {
    for (const { up, instance } of this.world.seats)
      if (up) writeFileSync(`/proc/${instance.process.pid}/clear_refs`, '5')
  }

  /** Waits until all is at rest and back to where it was, and measures. Call it without load. */
  async check(): Promise<Quiet> {
    const recovered = await this.invariants.waitForRecovery()
    await this.poolsSettled()
    const { holdings } = await this.invariants.checkAtRest(recovered, { index: true })
    const databases = new Map<string, Held>()
    for (const deployment of this.world.deployments) databases.set(deployment.kind, await this.settled(deployment))
    const instances = new Map<string, Rest>()
    for (const seat of this.world.seats) {
      const { name, starts } = seat
      const peak = peakOf(seat)
      if (peak > PEAK) this.world.ledger.addFinding(`${name} needed ${peak} MiB`)
      instances.set(name, { ...(holdings.get(name) as Resources), peak, starts })
    }
    return { at: Math.round((Date.now() - this.begun) / 1000), recovered, instances, databases }
  }

  /** Waits until instances close no more connections. */
  private async poolsSettled(): Promise<void> {
    const count = () =>
      this.world.seats.reduce((all, seat) => all + openFilesOf(seat.instance.process.pid as number), 0)
    let fewest = count()
    let since = Date.now()
    await eventually(
      () => {
        const now = count()
        if (now < fewest) since = Date.now()
        fewest = Math.min(fewest, now)
        return Date.now() - since >= this.settle
      },
      SETTLE + this.settle,
      500,
    ).catch(() => undefined)
  }

  private async settled(deployment: Deployment): Promise<Held> {
    const { kind } = deployment
    let held = await measureDatabase(deployment)
    const first = this.first.get(kind) ?? held
    this.first.set(kind, first)
    const excess = () => excessOf(kind, held, first, this.expected())
    const settled = async () => {
      if (excess().length > 0) held = await measureDatabase(deployment)
      return excess().length === 0
    }
    await eventually(settled, SETTLE * this.patience(), 500).catch(() =>
      this.world.ledger.addFinding(`${kind} at rest: ${excess().join(', ')}`),
    )
    return held
  }
}

/** The highest resident memory of an instance since `forgetPeaks` or its start, in MiB. */
function peakOf({ instance }: Seat): number {
  const text = readFileSync(`/proc/${instance.process.pid}/status`, 'utf8')
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(text)?.[1]) / 1024)
}
