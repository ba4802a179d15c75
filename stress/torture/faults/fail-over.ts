import { eventually } from '../../../test/helpers/eventually.js'
import { startStandby } from '../../../test/helpers/postgres-pair.js'
import type { Deployment, Seat } from '../deployment.js'
import type { Fault, Stage } from './fault.js'

/** Seconds from the promotion until all instances serve and one writes the index, on a free machine. */
const RECOVERY = 10
/** Responses to consumers between two steps. */
const UNDER_LOAD = 50

function failOver(name: string, about: string, isSynchronous: boolean): Fault {
  return {
    name,
    about,
    kind: 'database',
    database: 'postgres',
    async inject(stage) {
      const deployment = stage.world.deployments.find(({ kind }) => kind === 'postgres')
      if (!deployment?.postgres) return () => undefined
      const standby = await startStandby(deployment.postgres, isSynchronous)
      const [last, ...others] = deployment.seats.filter(({ lasting, up }) => up && !lasting)
      const half = others.splice(0, Math.ceil(others.length / 2))
      await roll(deployment, half)
      if (!isSynchronous) await standby.lag()
      await underLoad(stage)
      // what it has accepted is in no memory
      if (last) await deployment.stop(last, 'SIGTERM')
      await deployment.postgres.crash()
      return async () => {
        await standby.promote()
        await deployment.moveTo(standby)
        await measureRecovery(stage, deployment, name)
        await roll(deployment, [...(last ? [last] : []), ...others])
        await replayAll(stage, deployment, isSynchronous ? undefined : last)
      }
    },
  }
}

/** Fail-overs of PostgreSQL, in the middle of a rolling restart of the instances. */
export const FAIL_OVERS: Fault[] = [
  failOver(
    'postgres failed over',
    'The primary is killed, and its synchronous standby promoted, in a rolling restart.',
    true,
  ),
  failOver('postgres failed over, lagging', 'The same with an asynchronous standby that lacks the last writes.', false),
]

/** Restarts instances in sequence. */
async function roll(deployment: Deployment, seats: Seat[]): Promise<void> {
  for (const seat of seats) {
    if (seat.up) await deployment.stop(seat, 'SIGTERM')
    await deployment.restart(seat)
  }
}

/**
 * Replays every kept request at every instance. `lost`: the instance that ended with the primary, whose last deletions of
 * tokens a lagging standby lacks.
 */
async function replayAll({ consumers }: Stage, deployment: Deployment, lost: Seat | undefined): Promise<void> {
  const { used, deleted } = consumers.requests
  const all = [...used, ...deleted.filter(({ at }) => at !== lost)]
  for (const request of all.filter((request) => request.deployment === deployment))
    for (const seat of deployment.seats.filter(({ up }) => up)) await consumers.replayAt(seat, request)
}

async function underLoad({ world: { ledger } }: Stage): Promise<void> {
  const before = ledger.responses
  await eventually(() => ledger.responses > before + UNDER_LOAD)
}

/** Measures the time until every running instance accepts a request, and until one has read a new block. */
async function measureRecovery(
  { world, consumers, patience, onLine }: Stage,
  deployment: Deployment,
  name: string,
): Promise<void> {
  const begun = performance.now()
  const seconds = () => Number(((performance.now() - begun) / 1000).toFixed(1))
  const seats = deployment.seats.filter(({ up }) => up)
  const [prober] = world.buyers
  if (!prober) throw new Error('There is no buyer.')
  const file = world.file('small')
  for (const seat of seats)
    await eventually(
      async () => (await consumers.requests.probe(seat, deployment, file, prober)) === 'ok',
      undefined,
      20,
    )
  const accepted = seconds()
  await world.world.rpc('anvil_mine', ['0x1'])
  await world.indexed(deployment)
  const indexed = seconds()
  onLine(
    `${name}: ${seats.length} instances accept requests ${accepted} s after the promotion, one leads after ${indexed} s`,
  )
  if (indexed > RECOVERY * patience()) world.ledger.addFinding(`${name}: recovered ${indexed} s after the promotion`)
}
