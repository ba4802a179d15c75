import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseKind } from '../torture/deployment.js'
import type { Fault, Lift, Stage } from '../torture/faults/fault.js'
import { Invariants } from '../torture/invariants.js'
import type { Finding } from '../torture/lib/ledger.js'
import { type Random, seeded } from '../torture/lib/random.js'
import { type FaultRecord, schedule } from '../torture/rounds.js'
import { TortureWorld } from '../torture/world.js'
import { SoakConsumers } from './consumers.js'
import { slowGrowth } from './growth.js'
import { SoakLedger } from './ledger.js'
import { Machine } from './machine.js'
import { Pace } from './pace.js'
import { type Quiet, QuietPhases } from './quiet.js'
import { UnderWay } from './under-way.js'

export interface Plan {
  seed: number
  database: DatabaseKind
  instances: number
  /** Responses per second. */
  rate: number
  /** Faults from which one is taken at a time, sometimes two. */
  faults: readonly Fault[]
  /** Faults between two quiet phases. */
  faultsPerPhase: number
  /** Maximum milliseconds. */
  duration?: number
  /** Maximum quiet phases, besides the first. */
  phases?: number
  /** Consumers with an order for every file; the first one only checks whether all has recovered. */
  buyers?: number
  /** Bytes of the large file. */
  large?: number
  /** Responses before the first quiet phase, with which the others are compared: caches and pools are filled. */
  warmUp?: number
  /** Responses while a fault is under way, and without one before the next; minimum and maximum. */
  underFault?: readonly [min: number, max: number]
  between?: readonly [min: number, max: number]
  /** Milliseconds for which instances may close no more connections before they count as at rest. */
  settle?: number
  /** Settings of the instances. */
  settings?: NodeJS.ProcessEnv
  /** Stops the run at once. */
  signal?: AbortSignal
  /** Called with lines of progress. */
  onLine?: (line: string) => void
}

export interface Result {
  plan: Plan
  begun: Date
  seconds: number
  /** Whether it was stopped before its end. */
  interrupted: boolean
  ledger: SoakLedger
  records: Map<string, FaultRecord>
  phases: Quiet[]
  purchases: number
  /** Seconds for which the machine was crowded. */
  crowded: number
}

const UNDER_FAULT = [60, 240] as const
const BETWEEN = [30, 120] as const
const WARM_UP = 1000
/** Maximum milliseconds to wait for responses: a fault may hold them all. */
const LONGEST = 15_000
/** How many times as long recovery may take on a crowded machine. */
const PATIENCE = 10
/** Longer than an idle connection to the database stays open. */
const SETTLE = 12_000
const MINUTE = 60_000
/** Blocks whose changes the index keeps: few, so that the oldest are dropped within the run. */
const REORG_DEPTH = 64

/** Longer than those of the torture: the machine may be busy for a moment, and no fault explains that. */
const SETTINGS = {
  RPC_TIMEOUT: '4000',
  // searches have half of it
  DATABASE_TIMEOUT: '10000',
  STORAGE_CONNECT_TIMEOUT: '3000',
  STORAGE_RESPONSE_TIMEOUT: '4000',
  STORAGE_STALL_TIMEOUT: '3000',
  CONSUMER_STALL_TIMEOUT: '4000',
  DESCRIBE_TIMEOUT: '5000',
  INDEX_REORG_DEPTH: String(REORG_DEPTH),
  // as by default: an index that pauses after a fault is not out of date at once
  READY_MAX_AGE: '60000',
}

/** Runs a load with faults, and checks in quiet phases that everything is back to where it was. */
export async function soak(plan: Plan): Promise<Result> {
  const { onLine = () => undefined, buyers = 24, database } = plan
  const machine = new Machine()
  const underWay = new UnderWay(machine)
  const patience = () => (machine.crowded ? PATIENCE : 1)
  const ledger = new SoakLedger(underWay, ({ what, during }: Finding) => onLine(`FOUND (${during}): ${what}`))
  const instances = { embedded: 0, postgres: 0, [database]: plan.instances }
  const size = { instances, buyers, ...(plan.large ? { large: plan.large } : {}) }
  const world = await TortureWorld.start(size, ledger, () => ({ ...SETTINGS, ...plan.settings }))
  const begun = new Date()
  const result: Result = {
    plan,
    begun,
    seconds: 0,
    interrupted: false,
    ledger,
    records: new Map(),
    phases: [],
    purchases: 0,
    crowded: 0,
  }
  const [first, ...others] = world.seats
  // one process lives through the whole run, so that slow growth shows
  if (first && others.length > 0) first.lasting = true
  const random = seeded(plan.seed)
  const payer = await world.world.somebody()
  const consumers = new SoakConsumers(world, seeded(plan.seed + 1), new Pace(plan.rate, ledger), underWay, payer)
  const invariants = new Invariants(world, consumers, patience)
  const rows = () => ({
    nonces: buyers,
    revocations: consumers.deletions,
    order_fees: buyers * world.sold.length + consumers.purchases,
    index_checkpoint: REORG_DEPTH + 2,
    // an asset has a row in four tables
    index_undo: (REORG_DEPTH + 2) * 4,
    // kept for as many days as the operator wants
    deliveries: Number.POSITIVE_INFINITY,
  })
  const quiet = new QuietPhases(world, invariants, rows, patience, begun.getTime(), plan.settle ?? SETTLE)
  const run = new Run(plan, { world, consumers, random, patience, onLine }, invariants, quiet, underWay, result)
  const reporting = setInterval(() => onLine(lineOf(result, underWay)), MINUTE)
  try {
    await Promise.race([run.all(), aborted(plan.signal)])
    return result
  } catch (error) {
    // ctrl-C in a terminal also ends chain, database and instances
    if (!plan.signal?.aborted) throw error
    return result
  } finally {
    clearInterval(reporting)
    machine.stop()
    result.crowded = machine.seconds
    result.interrupted = plan.signal?.aborted ?? false
    result.seconds = (Date.now() - begun.getTime()) / 1000
    result.purchases = consumers.purchases
    await consumers.stop().catch(() => undefined)
    await world.close()
  }
}

/** Resolves when a signal is aborted. */
function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
}

class Run {
  private readonly random: Random
  private readonly end: number

  constructor(
    private readonly plan: Plan,
    private readonly stage: Stage,
    private readonly invariants: Invariants,
    private readonly quiet: QuietPhases,
    private readonly underWay: UnderWay,
    private readonly result: Result,
  ) {
    this.random = stage.random
    this.end = Date.now() + (plan.duration ?? Number.POSITIVE_INFINITY)
  }

  async all(): Promise<void> {
    const { plan, result, stage } = this
    await this.invariants.waitForRecovery() // the instances have to index the chain first
    stage.consumers.start()
    await this.responses([plan.warmUp ?? WARM_UP, plan.warmUp ?? WARM_UP])
    await this.rest()
    const applicable = plan.faults.filter(({ database = plan.database }) => database === plan.database)
    const next = schedule(applicable, this.random)
    while (!this.over && result.phases.length <= (plan.phases ?? Number.POSITIVE_INFINITY)) {
      this.quiet.forgetPeaks()
      stage.consumers.start()
      for (let count = 0; count < plan.faultsPerPhase && !this.over; count++) {
        await this.responses(plan.between ?? BETWEEN)
        await this.inject(next())
      }
      await this.rest()
    }
  }

  private get over(): boolean {
    return this.plan.signal?.aborted === true || Date.now() > this.end
  }

  /** Waits until some more responses have come. */
  private async responses([min, max]: readonly [number, number]): Promise<void> {
    const { ledger } = this.result
    const enough = ledger.responses + min + this.random.below(max - min)
    const latest = Date.now() + LONGEST
    while (ledger.responses < enough && Date.now() < latest && !this.plan.signal?.aborted) await sleep(50)
  }

  /** Injects faults under load, removes them, and waits for recovery. */
  private async inject(faults: Fault[]): Promise<void> {
    const { world } = this.stage
    const spells = faults.map((fault) => this.underWay.begin(fault))
    const lifts: Lift[] = []
    try {
      // what consumers do on the chain must not be taken back
      for (const fault of faults)
        lifts.push(
          await (fault.kind === 'chain' ? world.onChain(() => fault.inject(this.stage)) : fault.inject(this.stage)),
        )
      await this.responses(this.plan.underFault ?? UNDER_FAULT)
    } finally {
      for (const lift of lifts.reverse()) await lift()
    }
    if (this.plan.signal?.aborted) return
    const recovered = await this.invariants.waitForRecovery()
    for (const spell of spells) this.underWay.end(spell)
    for (const { name } of faults) {
      const { injected, recoveries } = this.result.records.get(name) ?? { injected: 0, recoveries: [] }
      this.result.records.set(name, { injected: injected + 1, recoveries: [...recoveries, recovered] })
    }
  }

  /** Ends the load, and checks that everything is back to where it was. */
  private async rest(): Promise<void> {
    const { world, consumers } = this.stage
    await consumers.stop()
    for (const node of world.nodes) node.forget()
    world.storage.server.requests.length = 0
    if (this.plan.signal?.aborted) return
    const { ledger, phases } = this.result
    phases.push(await this.quiet.check())
    for (const growth of slowGrowth(phases)) ledger.addFinding(growth)
  }
}

/** A line of progress. */
function lineOf({ ledger, phases, begun }: Result, underWay: UnderWay): string {
  const sum = (outcome: 'ok' | 'refused' | 'broken') =>
    [...ledger.requests.values()].reduce((all, counts) => all + counts[outcome], 0)
  const minutes = ((Date.now() - begun.getTime()) / MINUTE).toFixed(0)
  const faults = underWay.now.map(({ name }) => name).join(' and ') || 'none'
  const rests = [...(phases.at(-1)?.instances ?? [])].map(([name, { memory, files, sockets }]) => {
    return `${name} ${memory} MiB ${files}+${sockets} descriptors`
  })
  return [
    `minute ${minutes}: ${sum('ok')} passed, ${sum('refused')} refused, ${sum('broken')} broken`,
    `${(ledger.bytes / 2 ** 20).toFixed(0)} MiB compared`,
    `${phases.length} quiet phases (${rests.join(', ')})`,
    `faults under way: ${faults}`,
    `${ledger.findings.length} findings`,
  ].join('; ')
}
