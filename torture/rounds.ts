import { setTimeout as sleep } from 'node:timers/promises'
import { Consumers } from './consumers.js'
import type { DatabaseKind } from './deployment.js'
import type { Fault, Lift, Stage } from './faults/fault.js'
import { type Checked, type Holding, Invariants } from './invariants.js'
import { type Finding, Ledger } from './lib/ledger.js'
import { type Random, seeded } from './lib/random.js'
import { TortureWorld } from './world.js'

export interface Plan {
  seed: number
  faults: readonly Fault[]
  /** Ends when this many milliseconds are over, or so many rounds. */
  duration?: number
  rounds?: number
  /** On each database. */
  instances?: Record<DatabaseKind, number>
  buyers?: number
  /** Milliseconds that a fault lasts, at least and at most. */
  lasts?: readonly [least: number, most: number]
  /** Milliseconds that a worker waits between two requests, at most. */
  pause?: number
  /** Ends it after the round that is under way. */
  signal?: AbortSignal
  /** Told what happens. */
  onLine?: (line: string) => void
}

/** What became of one fault. */
export interface FaultRecord {
  injected: number
  /** Milliseconds until all was well again, each time. */
  recoveries: number[]
}

/** What became of a run. */
export interface Result {
  plan: Plan
  begun: Date
  seconds: number
  rounds: number
  records: Map<string, FaultRecord>
  ledger: Ledger
  /** What each instance held at rest: at first, at most, and at last. */
  holdings: Map<string, { first: Holding; most: Holding; last: Holding }>
}

/** In so many rounds there is a second fault beside the first one. */
const TWO_AT_ONCE = 0.3
/** Milliseconds without a fault before the next one. */
const CALM = 1500
/** Faults that the index can suffer from. */
const INDEXED: ReadonlySet<Fault['kind']> = new Set(['node', 'chain', 'database', 'instance'])

/** Injects faults one after the other, and checks after each that all is as it has to be. */
export async function torture(plan: Plan): Promise<Result> {
  const { onLine = () => undefined, instances = { embedded: 2, postgres: 2 }, buyers = 5 } = plan
  const begun = new Date()
  const ledger = new Ledger(({ what, during }: Finding) => onLine(`FOUND (${during}): ${what}`))
  const world = await TortureWorld.start({ instances, buyers }, ledger)
  const random = seeded(plan.seed)
  const consumers = new Consumers(world, seeded(plan.seed + 1), plan.pause)
  const invariants = new Invariants(world, consumers)
  const result: Result = {
    plan,
    begun,
    seconds: 0,
    rounds: 0,
    records: new Map(),
    ledger,
    holdings: new Map(),
  }
  const stage: Stage = { world, consumers, random }
  try {
    await invariants.recovered() // the instances have yet to read the chain
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

/** Which faults come next: first each one in some order, then any, now and then two at once. */
function schedule(faults: readonly Fault[], random: Random): () => Fault[] {
  const first = random.shuffled(faults)
  return () => {
    const next = first.pop()
    if (next) return [next]
    const one = random.one(faults)
    const others = faults.filter(({ kind }) => kind !== one.kind && apart(kind, one.kind))
    return random.chance(TWO_AT_ONCE) && others.length > 0 ? [one, random.one(others)] : [one]
  }
}

/** Faults that cannot be at once: an instance does not start without its database, and a check of one needs the other. */
function apart(one: Fault['kind'], other: Fault['kind']): boolean {
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
  const [least, most] = result.plan.lasts ?? [1500, 4500]
  await sleep(least + random.below(most - least))
  consumers.phase = { calm: false, downloads: false }
  for (const lift of lifts.reverse()) await lift()
  const recovered = await invariants.recovered()
  consumers.phase = { calm: true, downloads: true }
  await sleep(CALM)
  await consumers.stop()
  const checked = await invariants.atRest(recovered, { index: faults.some(({ kind }) => INDEXED.has(kind)) })
  for (const node of world.nodes) node.forget()
  world.storage.server.requests.length = 0
  note(result, faults, checked)
  onLine(`${name}: well again after ${(recovered / 1000).toFixed(1)} s`)
}

function note({ records, holdings }: Result, faults: Fault[], checked: Checked): void {
  for (const { name } of faults) {
    const record = records.get(name) ?? { injected: 0, recoveries: [] }
    records.set(name, { injected: record.injected + 1, recoveries: [...record.recoveries, checked.recovered] })
  }
  for (const [seat, now] of checked.holdings) {
    const { first, most } = holdings.get(seat) ?? { first: now, most: now }
    const greater = Object.fromEntries(
      Object.entries(now).map(([key, value]) => [key, Math.max(value, most[key as keyof Holding])]),
    )
    holdings.set(seat, { first, most: greater as unknown as Holding, last: now })
  }
}
