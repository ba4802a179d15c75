import { STORAGE_FAULTS, type StorageFault } from '../storage.js'
import type { Fault } from './fault.js'

/** Those that a transfer survives, since it is taken up again under the file's validator. */
const SURVIVED: readonly StorageFault[] = ['resets', 'stalls']

/** Faults of the storage, and of the name server on the way to it. */
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
    about: 'The name server of one of the files says nothing.',
    kind: 'storage',
    async inject({ world }) {
      world.namesSilent = true
      return () => {
        world.namesSilent = false
      }
    },
  },
]
