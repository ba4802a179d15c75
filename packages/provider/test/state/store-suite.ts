import { describe } from 'vitest'
import { deliverySuite } from './store-suite/deliveries.js'
import { failureSuite } from './store-suite/failure.js'
import { generationSuite } from './store-suite/generations.js'
import { healthSuite } from './store-suite/health.js'
import { hostedSuite } from './store-suite/hosted.js'
import { identitySuite } from './store-suite/identity.js'
import { indexSuite } from './store-suite/index-batches.js'
import { rollbackSuite } from './store-suite/index-rollback.js'
import { nonceSuite } from './store-suite/nonces.js'
import { orderSuite } from './store-suite/orders.js'
import { proofSuite } from './store-suite/proofs.js'
import { searchChangeSuite } from './store-suite/search-changes.js'
import { querySuite } from './store-suite/search-queries.js'
import { resultSuite } from './store-suite/search-results.js'
import { searchUpkeepSuite } from './store-suite/search-upkeep.js'
import { StoreSession, type StoreUnderTest } from './store-suite/session.js'
import { timeSuite } from './store-suite/times.js'

export type { StoreUnderTest }

/**
 * The vitest suite that every StateStore must pass; call it in a test file. `create` creates an empty database for each
 * test. Each interface of `StateStore` has its own part, in a separate file.
 */
export function stateStoreSuite(name: string, create: () => Promise<StoreUnderTest>): void {
  describe(`state store: ${name}`, () => {
    const session = new StoreSession(create)
    describe('nonces', () => nonceSuite(session))
    describe('times and counters', () => timeSuite(session))
    describe('index', () => indexSuite(session))
    describe('index, rolled back', () => rollbackSuite(session))
    describe('index, built again', () => generationSuite(session))
    describe('search, by queries', () => querySuite(session))
    describe('search, its results', () => resultSuite(session))
    describe('search, as the index changes', () => searchChangeSuite(session))
    describe('orders', () => orderSuite(session))
    describe('search, its upkeep', () => searchUpkeepSuite(session))
    describe('proofs of delivery', () => proofSuite(session))
    describe('deliveries and fees', () => deliverySuite(session))
    describe('hosted files', () => hostedSuite(session))
    describe('identity', () => identitySuite(session))
    describe('health', () => healthSuite(session))
    describe('failures', () => failureSuite(session))
  })
}
