import type { World } from '../../../../test/helpers/world.js'
import { cachedSource } from '../../../catalog/src/cached-source.js'
import { indexSource } from '../../../catalog/src/index/source.js'
import { CATALOG_LIMITS } from '../../../catalog/src/limits.js'
import { remoteCacheSource } from '../../../catalog/src/remote-cache.js'
import { Outbound } from '../../../common/src/outbound.js'
import { sourceSuite } from './source-suite.js'

/** Milliseconds for which results are kept. */
const TTL = 50

const index = ({ local }: World) => {
  const { indexed, documents } = local.app.context.services.catalog
  return indexSource(indexed, documents)
}

sourceSuite('index', (world) => ({ source: index(world) }))

sourceSuite('index, cached', (world) => {
  const chains = [world.network.chainId]
  return { source: cachedSource(index(world), { ttl: TTL, chains, isCurrent: () => true }) }
})

/** The cache is the service of the world, whose index is the one above. */
sourceSuite('metadata cache', (world) => {
  const { chains, settings, services } = world.local.app.context
  const { documents } = services.catalog
  const outbound = new Outbound({ timeout: settings.OUTBOUND_TIMEOUT, maxSize: CATALOG_LIMITS.outbound.response })
  const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
  const options = { url: world.network.providerUrl, chains, outbound, documents, ttl: TTL, log: silent }
  const source = remoteCacheSource({ ...options, maxDocument: settings.MAX_DDO_SIZE })
  return { source, close: () => outbound.close() }
})
