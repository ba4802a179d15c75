import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import type { Driver } from '../../../database/src/sql.js'
import { beginRollback, undoSome } from '../../src/index/tables/commit.js'
import { searchConsumer } from '../../src/search/tables/consumer.js'
import { catalogOn, postgresDriver, sqliteDriver } from '../catalog.js'
import { at, DID, NFT, order, PUBLISHED } from '../store/published.js'

describe('a rollback that a kill interrupts', () => {
  let postgres: PostgresDatabase
  const folder = newFolder()
  beforeAll(async () => {
    postgres = await startPostgres()
  })

  const open: Record<string, () => Promise<Driver>> = {
    sqlite: async () => sqliteDriver(join(folder, 'state')),
    postgres: () => postgresDriver({ url: postgres.url(), connections: 4, timeout: 30_000 }),
  }

  it.each(
    Object.keys(open),
  )('lets nothing be committed, and goes on where it was, with %s (threat 86)', async (name) => {
    let driver = await (open[name] as () => Promise<Driver>)()
    let { index } = catalogOn(driver)
    const reopen = async () => {
      await driver.close()
      driver = await (open[name] as () => Promise<Driver>)()
      index = catalogOn(driver).index
    }
    await index.commit({ chainId: 1, from: undefined, to: at(5), changes: PUBLISHED })
    const published = await index.asset(DID)
    const changes = [order, { kind: 'state', nft: NFT, state: 3 } as const]
    await index.commit({ chainId: 1, from: at(5), to: at(6), changes, provisional: true })
    await driver.transact(beginRollback('live', 1, at(5)))
    await reopen()
    expect((await index.generations(1)).live).toMatchObject({ cursor: at(5), undoing: true })
    expect(await index.commit({ chainId: 1, from: at(5), to: at(6), changes: [] })).toBe(false)
    // one transaction restores some rows, and the last one ends it
    expect(await driver.transact(undoSome('live', 1, searchConsumer(driver.dialect)))).toBe(true)
    await reopen()
    expect((await index.generations(1)).live).toMatchObject({ undoing: true })
    await index.rollback(1, at(5))
    expect((await index.generations(1)).live).toEqual({ id: expect.any(Number), cursor: at(5) })
    expect(await index.asset(DID)).toEqual(published)
    expect(await index.commit({ chainId: 1, from: at(5), to: at(6), changes: [] })).toBe(true)
    await driver.close()
  })
})
