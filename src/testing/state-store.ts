import { describe } from 'vitest'
import { deliverySuite } from './state-store/deliveries.js'
import { failureSuite } from './state-store/failure.js'
import { generationSuite } from './state-store/generations.js'
import { healthSuite } from './state-store/health.js'
import { hostedSuite } from './state-store/hosted.js'
import { identitySuite } from './state-store/identity.js'
import { importSuite } from './state-store/imports.js'
import { indexSuite } from './state-store/index-batches.js'
import { rollbackSuite } from './state-store/index-rollback.js'
import { nonceSuite } from './state-store/nonces.js'
import { proofSuite } from './state-store/proofs.js'
import { searchChangeSuite } from './state-store/search-changes.js'
import { querySuite } from './state-store/search-queries.js'
import { resultSuite } from './state-store/search-results.js'
import { searchUpkeepSuite } from './state-store/search-upkeep.js'
import { StoreSession, type StoreUnderTest } from './state-store/session.js'
import { timeSuite } from './state-store/times.js'

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
    describe('index, imported', () => importSuite(session))
    describe('search, by queries', () => querySuite(session))
    describe('search, its results', () => resultSuite(session))
    describe('search, as the index changes', () => searchChangeSuite(session))
    describe('search, its upkeep', () => searchUpkeepSuite(session))
    describe('proofs of delivery', () => proofSuite(session))
    describe('deliveries and fees', () => deliverySuite(session))
    describe('hosted files', () => hostedSuite(session))
    describe('identity', () => identitySuite(session))
    describe('health', () => healthSuite(session))
    describe('failures', () => failureSuite(session))
  })
}
