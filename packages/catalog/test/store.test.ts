import { describe } from 'vitest'
import { onBothDatabases } from './catalog.js'
import { generationSuite } from './store/generations.js'
import { indexSuite } from './store/index-batches.js'
import { rollbackSuite } from './store/index-rollback.js'
import { offerSuite } from './store/offers.js'
import { orderSuite } from './store/orders.js'
import { saleSuite } from './store/sales.js'
import { searchChangeSuite } from './store/search-changes.js'
import { querySuite } from './store/search-queries.js'
import { resultSuite } from './store/search-results.js'
import { searchUpkeepSuite } from './store/search-upkeep.js'

onBothDatabases((session) => {
  describe('index', () => indexSuite(session))
  describe('index, rolled back', () => rollbackSuite(session))
  describe('index, built again', () => generationSuite(session))
  describe('search, by queries', () => querySuite(session))
  describe('search, its results', () => resultSuite(session))
  describe('search, as the index changes', () => searchChangeSuite(session))
  describe('offers', () => offerSuite(session))
  describe('orders', () => orderSuite(session))
  describe('sales', () => saleSuite(session))
  describe('search, its upkeep', () => searchUpkeepSuite(session))
})
