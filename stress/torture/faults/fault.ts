import type { Consumers } from '../consumers.js'
import type { DatabaseKind } from '../deployment.js'
import type { Random } from '../lib/random.js'
import type { TortureWorld } from '../world.js'

/** What a fault of nodes, databases and instances needs. */
export interface Place {
  world: TortureWorld
  random: Random
  /** How many times as long as on a free machine recovery may take. */
  patience(): number
  /** Called with lines of progress. */
  onLine(line: string): void
}

/** A place whose consumers download while faults are injected. */
export interface Stage extends Place {
  consumers: Consumers
}

/** Removes the fault. */
export type Lift = () => unknown

export interface Fault<P extends Place = Stage> {
  name: string
  about: string
  /** Faults injected at the same time are of different kinds. */
  kind: 'node' | 'chain' | 'storage' | 'database' | 'consumer' | 'instance'
  /** The only database that it can be injected into. */
  database?: DatabaseKind
  /** Whether honest downloads must pass while it lasts. */
  spares?: boolean
  inject(stage: P): Promise<Lift>
}
