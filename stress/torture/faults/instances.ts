import type { Deployment, Seat } from '../deployment.js'
import type { Fault, Lift, Place } from './fault.js'

/** Defines a fault of one instance, while the others serve. */
function onOne(
  name: string,
  about: string,
  spares: boolean,
  work: (seat: Seat, deployment: Deployment) => Promise<Lift>,
): Fault<Place> {
  return {
    name,
    about,
    kind: 'instance',
    spares,
    inject({ world, random }) {
      const deployment = random.one(world.deployments)
      const seats = deployment.seats.filter(({ lasting }) => !lasting)
      return work(random.one(seats), deployment)
    },
  }
}

/** Faults of the instances themselves. */
export const INSTANCE_FAULTS: Fault<Place>[] = [
  onOne('instance killed', 'One instance is killed with -9 and restarted.', true, async (seat, deployment) => {
    await deployment.stop(seat, 'SIGKILL')
    return () => deployment.restart(seat)
  }),
  onOne('instance restarted', 'One instance is stopped and restarted.', true, async (seat, deployment) => {
    await deployment.stop(seat, 'SIGTERM')
    return () => deployment.restart(seat)
  }),
  onOne('instance frozen', 'One instance is suspended, and resumed later.', false, async (seat) => {
    seat.instance.process.kill('SIGSTOP')
    return () => seat.instance.process.kill('SIGCONT')
  }),
]
