import type { DestinationPolicy } from '../../packages/storage/src/egress/policy.js'

/** No host or port is excluded. */
export const ANYWHERE: DestinationPolicy = { allowedHosts: [], deniedHosts: [], ports: [[0, 65535]] }

const LANE = { maxPerHost: 64, maxRequests: 1000, queues: true }

/** Egress limits that no test reaches. */
export const UNLIMITED = { policy: ANYWHERE, limits: { paid: LANE, anonymous: LANE } }
