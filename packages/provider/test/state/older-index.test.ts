import { join } from 'node:path'
import type { Wallet } from 'ethers'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresBackend, startPostgres } from '../../../../test/helpers/backends.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask } from '../../../../test/helpers/requests.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { onPostgres } from '../../../../test/helpers/states.js'
import { World } from '../../../../test/helpers/world.js'
import { DATABASE_FILE } from '../../../database/src/sqlite/sqlite-file.js'
import { createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'
import { migrationsFor } from '../../src/state/migrations/index.js'

/** The number of migrations of the version before orders and offers. */
const VERSION = migrationsFor('sqlite').findIndex((step) => step.includes('CREATE TABLE index_order'))

/** Makes an index that of this version. */
const TAKE_BACK = `
  DROP TABLE takedowns;
  DROP TABLE index_order;
  DROP TABLE index_offer;
  DROP TABLE index_market;
  DELETE FROM index_undo WHERE kind IN ('market', 'offer');
  DELETE FROM search_value;
  DROP INDEX search_value_by_name_4;
  DROP INDEX search_value_by_name_5;
  DROP INDEX search_value_by_price;
  DROP INDEX search_value_by_price_down;
  ALTER TABLE index_cursor DROP COLUMN format_mark;
  ALTER TABLE index_checkpoint DROP COLUMN events;
  ALTER TABLE index_checkpoint DROP COLUMN digest;
  DROP INDEX index_nft_by_owner;
  ALTER TABLE deliveries DROP COLUMN counted;
  DROP TABLE range_deliveries;
  ALTER TABLE index_reading DROP COLUMN orders;
  ALTER TABLE index_reading DROP COLUMN offers;`

describe.each(['embedded', 'PostgreSQL'])('an index of a version without orders and offers: %s', (kind) => {
  let world: World
  let proxy: RpcProxy
  let postgres: PostgresBackend | undefined
  let buyer: Wallet
  let assets: Published[]
  let app: Awaited<ReturnType<typeof createApp>>
  let base: string
  const folder = newFolder()

  beforeAll(async () => {
    ;[world, postgres] = await Promise.all([World.start(), kind === 'PostgreSQL' ? startPostgres() : undefined])
    proxy = await RpcProxy.before(world.network.rpcUrl)
    buyer = await world.somebody()
    const file = world.storage.file('/tides.csv', Buffer.from('tides'))
    assets = [await world.publishUrl(file), await world.publishUrl(file, { pricing: { fixed: '2.5' } })]
    await order()
    await order()
    // the newest blocks are read together, so older ones are stopped at
    await world.rpc('anvil_mine', ['0x64'])
    await start()
    await expectComplete()
    const head = await world.provider.getBlockNumber()
    await eventually(async () => (await generations()).live?.cursor.block === head)
    await app.close()
  })
  afterAll(async () => {
    await app.close()
    await postgres?.close()
    await world.close()
  })

  const order = async () => world.indexed(await world.order(assets[0] as Published, buyer))
  async function start() {
    const database = postgres ? { DATABASE_URL: postgres.url() } : {}
    const nodes = { NETWORK_URL: JSON.stringify({ [world.network.chainId]: proxy.url }) }
    app = await createApp(loadSettings(world.beside({ ...nodes, ...database, STATE_DIR: folder })))
    base = await app.listen()
  }
  const generations = () => app.context.store.index.generations(world.network.chainId)

  /** Runs statements on the database of the stopped service. */
  async function onDatabase(statements: string, version: number): Promise<void> {
    if (postgres) {
      await onPostgres(postgres.url(), `${statements}; UPDATE tidegate_schema SET version = ${version}`)
      return
    }
    const db = new Database(join(folder, DATABASE_FILE))
    db.exec(`${statements}; PRAGMA user_version = ${version}`)
    db.close()
  }

  const search = (at: string, body: object) =>
    ask(`${at}/api/aquarius/assets/metadata/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const ordersAt = (at: string) => search(at, { index: 'order', query: { term: { consumer: buyer.address } } })

  /** The orders, offers and prices of a service. */
  async function facts({ store }: typeof app.context, at: string) {
    const priced = await search(at, { query: { range: { 'indexedMetadata.stats.prices.price': { gt: 1 } } } })
    const offers = await Promise.all(assets.map(async ({ did }) => (await store.index.asset(did))?.offers))
    return { orders: (await ordersAt(at)).json, offers, priced: priced.json }
  }

  /** Waits until the index has the same orders, offers and prices as a fresh one. */
  async function expectComplete() {
    const fresh = await facts(world.local.app.context, world.network.providerUrl)
    expect(fresh).toMatchObject({ priced: [{ id: assets[1]?.did }] })
    await eventually(async () => {
      const { live, next } = await generations()
      return live && !live.isOutdated && !next
    })
    await eventually(async () => (await ordersAt(base)).text === JSON.stringify(fresh.orders))
    expect(await facts(app.context, base)).toEqual(fresh)
  }

  it('is served while it is rebuilt beside, also after a stop in the middle, and becomes complete', async () => {
    await onDatabase(postgres ? `${TAKE_BACK} DROP INDEX search_value_older_token` : TAKE_BACK, VERSION)
    const published = await world.provider.getTransactionReceipt(assets[1]?.txId as string)
    const middle = published.blockNumber - 1
    proxy.refuse = (method, [filter]) =>
      method === 'eth_getLogs' && !(Number((filter as { toBlock?: string }).toBlock) <= middle)
        ? { code: -32000, message: 'not now' }
        : undefined
    await start()
    const { live } = await generations()
    await eventually(async () => (await generations()).next?.cursor?.block === middle)
    const { next } = await generations()
    const expectServed = async () => {
      expect((await generations()).live).toEqual({ ...live, isOutdated: true })
      for (const { did } of assets) expect((await ask(`${base}/api/aquarius/assets/ddo/${did}`)).status).toBe(200)
      expect(await ordersAt(base)).toMatchObject({ status: 503, json: { code: 'SEARCH_UNAVAILABLE' } })
    }
    await expectServed()
    await app.close()
    await start()
    expect((await generations()).next).toEqual(next)
    await expectServed()
    proxy.refuse = () => undefined
    await expectComplete()
    // not begun once more
    expect((await generations()).live?.id).toBe(next?.id)
  })

  if (kind === 'embedded') return
  describe('beside instances of that version', () => {
    /** Runs statements of an older leader while this version is stopped, then waits until the index is complete. Returns both live ids. */
    async function afterOlder(statements: (live: number, head: { number: number; hash: string }) => string) {
      const before = (await generations()).live?.id as number
      await app.close()
      await order()
      const head = await world.provider.getBlock('latest')
      await onDatabase(statements(before, head), migrationsFor('postgres').length)
      await start()
      await expectComplete()
      return [before, (await generations()).live?.id]
    }

    it('is rebuilt if one of them has begun a generation', async () => {
      const [before, live] = await afterOlder(
        (id) => `
          INSERT INTO index_reading (id, chain_id, role, wanted) VALUES (-5, ${world.network.chainId}, 'next', 1);
          INSERT INTO index_cursor (chain_id, block, hash) SELECT -5, block, hash FROM index_cursor WHERE chain_id = ${id}`,
      )
      expect([before, -5]).not.toContain(live)
    })

    it('is rebuilt if one of them has read blocks into the live generation', async () => {
      const [before, live] = await afterOlder(
        (id, { number, hash }) => `
          UPDATE index_cursor SET block = ${number}, hash = '${hash}' WHERE chain_id = ${id};
          INSERT INTO index_checkpoint (chain_id, block, hash) VALUES (${id}, ${number}, '${hash}')`,
      )
      expect(live).not.toBe(before)
    })
  })
})
