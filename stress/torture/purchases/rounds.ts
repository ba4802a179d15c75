import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { eventually } from '../../../test/helpers/eventually.js'
import { newWallet } from '../../../test/helpers/wallet.js'
import { DATABASE_FAULTS } from '../faults/databases.js'
import type { Fault, Lift, Place } from '../faults/fault.js'
import { INSTANCE_FAULTS } from '../faults/instances.js'
import { NODE_FAULTS } from '../faults/nodes.js'
import type { Ledger } from '../lib/ledger.js'
import { seeded } from '../lib/random.js'
import { type FaultRecord, schedule } from '../rounds.js'
import { TortureWorld } from '../world.js'
import { untilEnded } from './ending.js'
import { Front } from './front.js'
import { CONFIRMATIONS, Market } from './market.js'
import { marketFaults } from './market-faults.js'
import { Members } from './members.js'
import { SENDING_FAULTS } from './node-faults.js'
import { Payments } from './payments.js'
import { PurchaseLedger } from './purchase-ledger.js'
import { type Reconciled, reconcile } from './reconcile.js'
import { Secrets } from './secrets.js'
import { Shoppers } from './shoppers.js'

export interface PurchasePlan {
  seed: number
  /** Maximum milliseconds of faults. */
  duration?: number
  /** Maximum rounds. */
  rounds?: number
  /** Names of the faults; by default all. */
  faults?: readonly string[]
  instances?: number
  assets?: number
  /** Buyers with bare requests and the published client, and with the client library. */
  buyers?: { shoppers: number; members: number }
  /** Minimum and maximum milliseconds that a fault lasts. */
  faultDuration?: readonly [min: number, max: number]
  /** How many times as long as on a free machine everything may take. */
  patience?: number
  /** Stops the run after the current round. */
  signal?: AbortSignal
  onLine?: (line: string) => void
}

/** The result of a run. */
export interface PurchaseResult {
  plan: PurchasePlan
  begun: Date
  seconds: number
  rounds: number
  faults: readonly Fault<Place>[]
  /** By the name of the fault; seconds until the next order after it. */
  records: Map<string, FaultRecord>
  starts: number
  ledger: Ledger
  reconciled: Reconciled | undefined
}

/** Milliseconds from the end of a fault until something is ordered, on a free machine: a lost transaction is replaced after a minute. */
const RECOVERY = 120_000
/** Probability of a second fault at the same time. */
const SECOND_FAULT_PROBABILITY = 0.6
/** An instance does not start without its database. */
const STARTING = ['instance', 'database'] as const

/** Sells under faults of nodes, chain, database and instances; afterwards compares every payment with the chain. */
export async function torturePurchases(plan: PurchasePlan): Promise<PurchaseResult> {
  const { onLine = () => undefined, instances = 2, buyers = { shoppers: 6, members: 2 }, patience = 1 } = plan
  const secrets = new Secrets()
  const ledger = new PurchaseLedger(secrets, ({ what, during }) => onLine(`FOUND (${during}): ${what}`))
  const key = newWallet().privateKey as Hex
  secrets.add(key)
  const torture = await TortureWorld.start(
    { instances: { embedded: 0, postgres: instances }, buyers: 0 },
    ledger,
    (world) => ({
      ...{ PURCHASES: 'on', PURCHASE_PRIVATE_KEY: key, PURCHASE_GAS_FEE: '0.05', PURCHASE_DAILY_LIMIT: '100000000' },
      PURCHASE_CONFIRMATIONS: `${CONFIRMATIONS}`,
      PURCHASE_TOKENS: JSON.stringify({ [world.network.chainId]: [world.network.addresses.MockUSDC] }),
    }),
  )
  const random = seeded(plan.seed)
  const mayCoincide = (...kinds: Fault['kind'][]) => !STARTING.every((kind) => kinds.includes(kind))
  const result: PurchaseResult = {
    ...{ plan, begun: new Date(), seconds: 0, rounds: 0, faults: [], records: new Map(), starts: 0, ledger },
    reconciled: undefined,
  }
  const ports = () => torture.seats.filter(({ up }) => up).map(({ instance }) => Number(new URL(instance.url).port))
  const front = await Front.open(ports, seeded(plan.seed + 1))
  try {
    const market = await Market.open(torture, key, seeded(plan.seed + 2), plan.assets ?? 4)
    await market.tick()
    const shop = { market, front, payments: new Payments(secrets), ledger, random: seeded(plan.seed + 3) }
    const [shoppers, members] = [new Shoppers(shop), new Members(shop)]
    shoppers.start(buyers.shoppers)
    members.start(buyers.members)
    const orders = () => shoppers.ordered + members.ordered
    result.faults = faultsFor(market, plan.faults)
    const place: Place = { world: torture, random, patience: () => patience, onLine }
    const next = schedule(result.faults, random, mayCoincide, SECOND_FAULT_PROBABILITY)
    const end = Date.now() + (plan.duration ?? Number.POSITIVE_INFINITY)
    while (result.rounds < (plan.rounds ?? Number.POSITIVE_INFINITY) && Date.now() < end && !plan.signal?.aborted) {
      await round(place, next(), orders, result)
      result.rounds += 1
    }
    ledger.during = 'the end'
    await Promise.all([shoppers.stop(), members.stop()])
    await untilEnded(market, patience)
    result.reconciled = await reconcile({ market, payments: shop.payments, ledger, url: front.url })
    result.starts = torture.seats.reduce((sum, { starts }) => sum + starts, 0)
    return result
  } finally {
    result.seconds = (Date.now() - result.begun.getTime()) / 1000
    front.close()
    await torture.close()
    for (const { instance, name } of torture.seats)
      if (isRunning(instance.process.pid)) ledger.addFinding(`${name} is left behind`)
  }
}

function faultsFor(market: Market, names: readonly string[] | undefined): Fault<Place>[] {
  const all = [...NODE_FAULTS, ...SENDING_FAULTS, ...DATABASE_FAULTS, ...INSTANCE_FAULTS, ...marketFaults(market)]
  const faults = all.filter(({ name, database }) => names?.includes(name) ?? database !== 'embedded')
  const unknown = names?.find((name) => !faults.some((fault) => fault.name === name))
  if (unknown) throw new Error(`There is no fault "${unknown}"; there are: ${all.map(({ name }) => name).join(', ')}.`)
  return faults
}

/** Injects faults for a time, lifts them, and waits until something is ordered again. */
async function round(
  place: Place,
  faults: Fault<Place>[],
  orders: () => number,
  result: PurchaseResult,
): Promise<void> {
  const { world, random, onLine, patience } = place
  const name = faults.map((fault) => fault.name).join(' and ')
  world.ledger.during = name
  const lifts: Lift[] = []
  for (const fault of faults) lifts.push(await fault.inject(place))
  const [min, max] = result.plan.faultDuration ?? [2_000, 12_000]
  await sleep(min + random.below(max - min))
  for (const lift of lifts.reverse()) await lift()
  const [before, begun] = [orders(), Date.now()]
  const limit = RECOVERY * patience()
  await eventually(() => orders() > before, limit, 50).catch(() =>
    world.ledger.addFinding(`nothing was ordered within ${limit / 1000} s after the fault`),
  )
  const recovered = Date.now() - begun
  for (const { name } of faults) {
    const { injected, recoveries } = result.records.get(name) ?? { injected: 0, recoveries: [] }
    result.records.set(name, { injected: injected + 1, recoveries: [...recoveries, recovered] })
  }
  for (const node of world.nodes) node.forget()
  world.storage.server.requests.length = 0
  onLine(`${name}: ordered again after ${(recovered / 1000).toFixed(1)} s`)
}

function isRunning(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0)
  } catch {
    return false
  }
}
