import type { Deployment, Seat } from '../deployment.js'
import type { Fault, Lift, Stage } from './fault.js'

/** A fault of one instance, while the others serve. */
function one(
  name: string,
  about: string,
  spares: boolean,
  work: (seat: Seat, deployment: Deployment) => Promise<Lift>,
): Fault {
  return {
    name,
    about,
    kind: 'instance',
    spares,
    inject({ world, random }: Stage) {
      const deployment = random.one(world.deployments)
      return work(random.one(deployment.seats), deployment)
    },
  }
}

/** Faults of the instances themselves. */
export const INSTANCE_FAULTS: Fault[] = [
  one('instance killed', 'One instance is killed with -9 and started again.', true, async (seat, deployment) => {
    await deployment.end(seat, 'SIGKILL')
    return () => deployment.startAgain(seat)
  }),
  one('instance restarted', 'One instance is told to stop, and started again.', true, async (seat, deployment) => {
    await deployment.end(seat, 'SIGTERM')
    return () => deployment.startAgain(seat)
  }),
  one('instance frozen', 'One instance is stopped, and goes on later.', false, async (seat) => {
    seat.instance.process.kill('SIGSTOP')
    return () => seat.instance.process.kill('SIGCONT')
  }),
]
