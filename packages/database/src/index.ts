export { RANDOM_IDS } from './constants.js'
export { describeFault, FAULT_KINDS, faultOf, type HealthCheckOptions, startErrorOf } from './fault.js'
export { DATABASE_LIMITS } from './limits.js'
export { packed, unpacked, unpackedLength } from './packed.js'
export { hostUrls, parseServer, publicParts } from './postgres/hosts.js'
export { mayLoseWrites } from './postgres/replication.js'
export {
  type Age,
  ageOf,
  type Schema,
  type Tables,
  upgrade,
  VERSIONS_TABLE,
  type Versions,
  versionsFrom,
  versionsOf,
} from './schema.js'
export { attempt, run, runScript } from './script.js'
export { type Ask, SnapshotTimeout } from './snapshots.js'
export {
  type Dialect,
  type Driver,
  numbered,
  type Query,
  type Result,
  type Script,
  sql,
  sqlOne,
  type ThreadScripts,
  type Value,
} from './sql.js'
