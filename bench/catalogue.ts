import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { didOf } from '../packages/protocol/src/ddo/ddo.js'
import { AssetError } from '../packages/protocol/src/errors.js'
import { CATALOGUE_ENDPOINTS } from '../packages/provider/src/http/catalogue/endpoints.js'
import { Connections } from '../packages/provider/src/http/lifetime.js'
import { openSqliteStore } from '../packages/provider/src/state/sqlite.js'
import type { Benchmark } from './lib/benchmark.js'
import { send } from './lib/processes.js'
import { quantile, type Row, report, rounded } from './lib/report.js'
import { addressesOf, CHAIN, fill } from './lib/search-documents.js'
import { raw } from './lib/stage.js'
import { servicesFor } from './search.js'

const CONNECTIONS = 8
/** A route of the same service that does nothing, to compare with. */
const BARE = '/bare'

/** Measures the pages and lists of the public catalogue, with 100,000 assets in the embedded database. */
export const catalogue: Benchmark = async (options) => {
  const { smoke, only } = options
  const count = smoke ? 60 : Number(process.env.SEARCH_DOCUMENTS ?? 100_000)
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  const store = openSqliteStore(folder)
  await fill(store, count)
  const services = servicesFor(store, { CATALOGUE: 'public', PUBLIC_URL: 'http://127.0.0.1' })
  const missing = async () => {
    throw new AssetError('DID_NOT_RESOLVED', 'Another provider serves it.')
  }
  const app = fastify()
  new Connections(app)
  Object.assign(services.access, { assets: { resolve: missing } })
  for (const endpoint of CATALOGUE_ENDPOINTS) endpoint.register(app, services)
  app.get(BARE, async () => ({}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const did = () => didOf(addressesOf(Math.floor(Math.random() * count)).nft, CHAIN)
  const kinds: Record<string, [times: number, path: () => string]> = {
    'page of an asset': [100, () => `/asset/${did()}`],
    'Croissant of an asset': [100, () => `/api/catalogue/${did()}?format=croissant`],
    'page of the catalogue': [20, () => `/catalogue?page=${1 + Math.floor((Math.random() * count) / 50)}`],
    'page of the catalogue as DCAT': [
      20,
      () => `/catalogue.jsonld?page=${1 + Math.floor((Math.random() * count) / 50)}`,
    ],
    'sitemap of 50,000': [1, () => '/sitemap-2.xml'],
  }
  const rows: Row[] = []
  try {
    for (const [what, [times, path]] of Object.entries(kinds)) {
      if (only && !what.includes(only)) continue
      const under = async (next: () => string, connections = CONNECTIONS) => {
        const requests = Array.from({ length: connections }, () =>
          Array.from({ length: smoke ? 1 : times }, () => raw('GET', next(), {}, '')),
        )
        return (await send({ host: '127.0.0.1', port, requests, amount: requests.flat().length })).latencies
      }
      await under(path)
      const before = process.memoryUsage().rss
      const [alone, loaded, bare] = [await under(path, 1), await under(path), await under(() => BARE)]
      const bareP99 = quantile(bare, 0.99)
      const p99 = quantile(loaded, 0.99)
      rows.push({
        ...{ assets: count, request: what, 'alone p50': rounded(quantile(alone, 0.5), 1) },
        ...{ p50: rounded(quantile(loaded, 0.5), 1), p99: rounded(p99, 1), 'bare route p99': rounded(bareP99, 1) },
        'p99 to bare': rounded(p99 / bareP99, 1),
        'MiB more': Math.round((process.memoryUsage().rss - before) / 2 ** 20),
        load: rounded(loadavg()[0] as number, 1),
      })
    }
  } finally {
    await app.close()
    await store.close()
    rmSync(folder, { recursive: true })
  }
  report('catalogue', `The public catalogue over ${CONNECTIONS} connections, milliseconds`, rows, options)
}
