import { STORAGE_FAULTS, type StorageFault } from '../storage.js'
import type { Fault } from './fault.js'

/** Faults that a transfer survives: it is resumed with the file's validator, or takes its time. */
const SURVIVED: readonly StorageFault[] = ['resets', 'stalls', 'slow']

/** Faults of the storage, and of the name server that resolves it. */
export const STORAGE_FAULT_LIST: Fault[] = [
  ...(Object.keys(STORAGE_FAULTS) as StorageFault[]).map((way): Fault => {
    return {
      name: `storage ${way}`,
      about: `The storage ${STORAGE_FAULTS[way]}.`,
      kind: 'storage',
      spares: SURVIVED.includes(way),
      async inject({ world: { storage } }) {
        storage.fault = way
        return () => {
          storage.fault = undefined
        }
      },
    }
  }),
  {
    name: 'name server silent',
    about: 'The name server for one of the files does not respond.',
    kind: 'storage',
    async inject({ world }) {
      world.namesSilent = true
      return () => {
        world.namesSilent = false
      }
    },
  },
]
