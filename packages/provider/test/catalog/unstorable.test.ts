import { join } from 'node:path'
import type { Wallet } from 'ethers'
import Database from 'libsql'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { mined } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import { ask } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { DATABASE_FILE } from '../../../database/src/sqlite/sqlite-file.js'

/** Faults that the test injects into a database, bypassing the service. */
interface Faults {
  environment: () => NodeJS.ProcessEnv
  run: (world: World, statement: string) => Promise<void>
  /** Makes it refuse NFTs with the name "poison", and the state 4. */
  refusals: string[]
  start?: () => Promise<void>
  stop?: () => Promise<void>
}

let server: PostgresDatabase
const DATABASES: Record<string, Faults> = {
  sqlite: {
    environment: () => ({}),
    run: async (world, statement) => {
      const db = new Database(join(world.local.app.context.settings.STATE_DIR, DATABASE_FILE), { timeout: 5000 })
      db.exec(statement)
      db.close()
    },
    refusals: [
      `CREATE TRIGGER no_poison BEFORE INSERT ON index_nft WHEN NEW.name = 'poison' BEGIN SELECT RAISE(ABORT, 'no'); END`,
      `CREATE TRIGGER no_four BEFORE UPDATE ON index_asset WHEN NEW.state = 4 BEGIN SELECT RAISE(ABORT, 'no'); END`,
    ],
  },
  postgres: {
    environment: () => ({ DATABASE_URL: server.url() }),
    run: async (_, statement) => {
      const client = new pg.Client({ connectionString: server.url() })
      await client.connect()
      await client.query(statement)
      await client.end()
    },
    refusals: [
      `ALTER TABLE index_nft ADD CONSTRAINT no_poison CHECK (name <> 'poison')`,
      'ALTER TABLE index_asset ADD CONSTRAINT no_four CHECK (state <> 4)',
    ],
    start: async () => {
      server = await startPostgres()
    },
    stop: () => server.close(),
  },
}

describe.each(Object.entries(DATABASES))('what %s cannot hold', (_, faults) => {
  let world: World
  let publisher: Wallet
  beforeAll(async () => {
    await faults.start?.()
    world = await World.start({ METRICS_PORT: '0', ...faults.environment() })
    publisher = await world.somebody()
  })
  afterAll(() => faults.stop?.())

  const publish = () => world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')), { publisher })
  const document = ({ did }: { did: string }) => ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${did}`)
  /** Deploys an NFT alone. Returns its address. */
  async function named(name: string): Promise<`0x${string}`> {
    const factory = new ocean.NftFactory(world.network.addresses.ERC721Factory, publisher, world.network.chainId)
    const nft = { name, symbol: name, templateIndex: 1, tokenURI: name, transferable: true, owner: publisher.address }
    return (await factory.createNFT(nft)) as `0x${string}`
  }
  const passed = async () => world.indexedTo(await world.provider.getBlockNumber())
  const leftOut = async () => {
    const { text } = await ask(`${world.local.app.metricsUrl}/metrics`)
    return Number(/^tidegate_index_left_out_total{[^}]*} (\d+)$/m.exec(text)?.[1] ?? 0)
  }
  const stored = (nft: `0x${string}`) => world.local.app.context.store.index.nft(world.network.chainId, nft)

  it('includes names with U+0000, which is replaced (threat 47)', async () => {
    const nft = await named('a\0b')
    await passed()
    expect(await stored(nft)).toMatchObject({ name: 'a\ufffdb', symbol: 'a\ufffdb', tokenUri: 'a\ufffdb' })
    expect((await document(await publish())).status).toBe(200)
    expect(await leftOut()).toBe(0)
  })

  it('is not confused with an unavailable database, for which nothing is skipped (threat 47)', async () => {
    const before = await publish()
    await faults.run(world, 'ALTER TABLE index_nft RENAME TO index_nft_away')
    const nft = await named('later')
    const { index } = world.local.app.context.store
    const commits = vi.spyOn(index, 'commit')
    await eventually(() => commits.mock.settledResults.filter(({ type }) => type === 'rejected').length > 1)
    const { block } = (await index.cursor(world.network.chainId)) ?? {}
    expect(block).toBeLessThan(await world.provider.getBlockNumber())
    await faults.run(world, 'ALTER TABLE index_nft_away RENAME TO index_nft')
    await passed()
    expect(await stored(nft)).toMatchObject({ name: 'later' })
    expect((await document(before)).status).toBe(200)
    expect(await leftOut()).toBe(0)
  })

  it('is skipped and logged, and the index continues (threat 47)', async () => {
    const [honest, changed] = [await publish(), await publish()]
    for (const statement of faults.refusals) await faults.run(world, statement)
    const poison = await named('poison')
    const next = await named('next')
    await mined(new ocean.Nft(publisher, world.network.chainId).setMetadataState(changed.nft, publisher.address, 4))
    await passed()
    expect(await stored(poison)).toBeUndefined()
    expect(await stored(next)).toMatchObject({ name: 'next' })
    expect(await leftOut()).toBe(2)
    expect((await document(honest)).status).toBe(200)
    expect((await document(await publish())).status).toBe(200)
    // its state is unknown, so it is not served
    expect((await document(changed)).status).toBe(404)
    await eventually(async () => (await ask(`${world.network.providerUrl}/ready`)).status === 200)
  })
})
