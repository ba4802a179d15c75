import { describe } from 'vitest'
import { accountSuite } from './store-suite/accounts.js'
import { deliverySuite } from './store-suite/deliveries.js'
import { eventSuite } from './store-suite/events.js'
import { failureSuite } from './store-suite/failure.js'
import { healthSuite } from './store-suite/health.js'
import { identitySuite } from './store-suite/identity.js'
import { nonceSuite } from './store-suite/nonces.js'
import { proofSuite } from './store-suite/proofs.js'
import { rangeSuite } from './store-suite/ranges.js'
import { timeSuite } from './store-suite/times.js'
import { onBothDatabases } from './stores.js'

onBothDatabases((session) => {
  describe('nonces', () => nonceSuite(session))
  describe('times and counters', () => timeSuite(session))
  describe('proofs of delivery', () => proofSuite(session))
  describe('deliveries and fees', () => deliverySuite(session))
  describe('deliveries by ranges', () => rangeSuite(session))
  describe('events of webhooks', () => eventSuite(session))
  describe('accounts', () => accountSuite(session))
  describe('identity', () => identitySuite(session))
  describe('health', () => healthSuite(session))
  describe('failures', () => failureSuite(session))
})
