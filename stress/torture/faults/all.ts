import { CHAIN_FAULTS } from './chain.js'
import { CONSUMER_FAULTS } from './consumers.js'
import { DATABASE_FAULTS } from './databases.js'
import { FAIL_OVERS } from './fail-over.js'
import type { Fault } from './fault.js'
import { INSTANCE_FAULTS } from './instances.js'
import { NODE_FAULTS } from './nodes.js'
import { STORAGE_FAULT_LIST } from './storages.js'

/** Every fault. */
export const FAULTS: readonly Fault[] = [
  ...NODE_FAULTS,
  ...CHAIN_FAULTS,
  ...STORAGE_FAULT_LIST,
  ...DATABASE_FAULTS,
  ...FAIL_OVERS,
  ...CONSUMER_FAULTS,
  ...INSTANCE_FAULTS,
]
