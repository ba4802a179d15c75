import type { Consumers } from '../consumers.js'
import type { Random } from '../lib/random.js'
import type { TortureWorld } from '../world.js'

/** What faults do their work with. */
export interface Stage {
  world: TortureWorld
  consumers: Consumers
  random: Random
}

/** Takes the fault away again. */
export type Lift = () => unknown

export interface Fault {
  name: string
  about: string
  /** Two faults at once are of different kinds. */
  kind: 'node' | 'chain' | 'storage' | 'database' | 'consumer' | 'instance'
  /** Whether honest downloads pass all the same, while it lasts. */
  spares?: boolean
  inject(stage: Stage): Promise<Lift>
}
