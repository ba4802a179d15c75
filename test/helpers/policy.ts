import type { DestinationPolicy } from '../../src/storage/policy.js'

/** No host or port is excluded. */
export const ANYWHERE: DestinationPolicy = { allowedHosts: [], deniedHosts: [], ports: [[0, 65535]] }
