import { setTimeout as sleep } from 'node:timers/promises'
import { Consumers } from './consumers.js'
import type { DatabaseKind } from './deployment.js'
import type { Fault, Lift, Stage } from './faults/fault.js'
import { type Checked, Invariants, type Resources } from './invariants.js'
import { type Finding, Ledger } from './lib/ledger.js'
import { type Random, seeded } from './lib/random.js'
import { LOCATION } from './storage.js'
import { TortureWorld } from './world.js'

export interface Plan {
  seed: number
  faults: readonly Fault[]
  /** Maximum milliseconds. */
  duration?: number
  /** Maximum rounds. */
  rounds?: number
  /** Instances on each database. */
  instances?: Record<DatabaseKind, number>
  buyers?: number
  /** Bytes of the large file. */
  large?: number
  /** Minimum and maximum milliseconds that a fault lasts. */
  faultDuration?: readonly [min: number, max: number]
  /** Maximum milliseconds between two requests of a worker. */
  pause?: number
  /** How many times as long as on a free machine recovery may take. */
  patience?: number
  /** Stops the run after the current round. */
  signal?: AbortSignal
  /** Called with lines of progress. */
  onLine?: (line: string) => void
}

/** The record of one fault. */
export interface FaultRecord {
  injected: number
  /** Milliseconds to recover, each time. */
  recoveries: number[]
}

/** The result of a run. */
export interface Result {
  plan: Plan
  begun: Date
  seconds: number
  rounds: number
  records: Map<string, FaultRecord>
  ledger: Ledger
  /** Resources of each instance at rest: first, maximum, and last. */
  holdings: Map<string, { first: Resources; max: Resources; last: Resources }>
}

/** Probability of a second fault at the same time. */
const SECOND_FAULT_PROBABILITY = 0.3
/** Milliseconds without a fault before the next one. */
const CALM = 1500
/** Kinds of faults that affect the index. */
const INDEXED: ReadonlySet<Fault['kind']> = new Set(['node', 'chain', 'database', 'instance'])

/** Injects faults one after another, and checks the invariants after each. */
export async function torture(plan: Plan): Promise<Result> {
  const { onLine = () => undefined, instances = { embedded: 2, postgres: 2 }, buyers = 5 } = plan
  const begun = new Date()
  const ledger = new Ledger(({ what, during }: Finding) => onLine(`FOUND (${during}): ${what}`), LOCATION)
  const world = await TortureWorld.start({ instances, buyers, ...(plan.large ? { large: plan.large } : {}) }, ledger)
  const random = seeded(plan.seed)
  const consumers = new Consumers(world, seeded(plan.seed + 1), plan.pause)
  const patience = () => plan.patience ?? 1
  const invariants = new Invariants(world, consumers, patience)
  const result: Result = {
    plan,
    begun,
    seconds: 0,
    rounds: 0,
    records: new Map(),
    ledger,
    holdings: new Map(),
  }
  const stage: Stage = { world, consumers, random, patience, onLine }
  try {
    await invariants.waitForRecovery() // the instances have to index the chain first
    await round(stage, invariants, [], result, onLine)
    const order = schedule(plan.faults, random)
    const end = Date.now() + (plan.duration ?? Number.POSITIVE_INFINITY)
    const more = () => result.rounds < (plan.rounds ?? Number.POSITIVE_INFINITY) && Date.now() < end
    while (more() && !plan.signal?.aborted) {
      await round(stage, invariants, order(), result, onLine)
      result.rounds += 1
    }
    return result
  } finally {
    result.seconds = (Date.now() - begun.getTime()) / 1000
    await consumers.stop()
    await world.close()
  }
}

/** Returns the scheduler of faults: first each one in random order, then random ones, sometimes two at once, by the probability `second`. */
export function schedule<F extends Pick<Fault, 'kind'>>(
  faults: readonly F[],
  random: Random,
  mayCoincide: (one: F['kind'], other: F['kind']) => boolean = canCoincide,
  second = SECOND_FAULT_PROBABILITY,
): () => F[] {
  const first = random.shuffled(faults)
  return () => {
    const next = first.pop()
    if (next) return [next]
    const one = random.one(faults)
    const others = faults.filter(({ kind }) => kind !== one.kind && mayCoincide(kind, one.kind))
    return random.chance(second) && others.length > 0 ? [one, random.one(others)] : [one]
  }
}

/** Whether two faults may coincide: an instance does not start without its database, and chain faults need all instances. */
function canCoincide(one: Fault['kind'], other: Fault['kind']): boolean {
  const alone = ['instance', 'database', 'chain']
  return !(alone.includes(one) && alone.includes(other)) && !(one === 'chain' || other === 'chain')
}

async function round(
  stage: Stage,
  invariants: Invariants,
  faults: Fault[],
  result: Result,
  onLine: (line: string) => void,
): Promise<void> {
  const { consumers, world, random } = stage
  const name = faults.map((fault) => fault.name).join(' and ') || 'no fault'
  world.ledger.during = name
  consumers.phase = { calm: faults.length === 0, downloads: faults.every(({ spares }) => spares) }
  consumers.start()
  const lifts: Lift[] = []
  for (const fault of faults) lifts.push(await fault.inject(stage))
  const [min, max] = result.plan.faultDuration ?? [1500, 4500]
  await sleep(min + random.below(max - min))
  consumers.phase = { calm: false, downloads: false }
  for (const lift of lifts.reverse()) await lift()
  const recovered = await invariants.waitForRecovery()
  consumers.phase = { calm: true, downloads: true }
  await sleep(CALM)
  await consumers.stop()
  const checked = await invariants.checkAtRest(recovered, { index: faults.some(({ kind }) => INDEXED.has(kind)) })
  for (const node of world.nodes) node.forget()
  world.storage.server.requests.length = 0
  record(result, faults, checked)
  onLine(`${name}: recovered after ${(recovered / 1000).toFixed(1)} s`)
}

function record({ records, holdings }: Result, faults: Fault[], checked: Checked): void {
  for (const { name } of faults) {
    const record = records.get(name) ?? { injected: 0, recoveries: [] }
    records.set(name, { injected: record.injected + 1, recoveries: [...record.recoveries, checked.recovered] })
  }
  for (const [seat, now] of checked.holdings) {
    const { first, max } = holdings.get(seat) ?? { first: now, max: now }
    const greatest = Object.fromEntries(
      Object.entries(now).map(([key, value]) => [key, Math.max(value, max[key as keyof Resources])]),
    )
    holdings.set(seat, { first, max: greatest as unknown as Resources, last: now })
  }
}
