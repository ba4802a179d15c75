import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { type PostgresBackend, startPostgresServer } from '../../../../test/helpers/postgres-server.js'
import { openPostgres, openPostgresStore } from '../../src/state/postgres.js'
import { emptyState } from './stores.js'

let server: PostgresBackend
beforeAll(async () => {
  server = await startPostgresServer()
})

describe('postgres', () => {
  it('is migrated once by instances that start concurrently', async () => {
    const under = await emptyState(server)
    const stores = await Promise.all(Array.from({ length: 8 }, () => under.open()))
    const results = await Promise.all(stores.map((store) => store.revocations.revoke('one', 1)))
    expect(results.filter(Boolean)).toHaveLength(1)
    await Promise.all(stores.map((store) => store.close()))
    await under.destroy()
  })

  it('is rejected when a newer version has migrated it, without quoting its URL, and serves who runs already', async () => {
    const under = await emptyState(server)
    const running = await under.open()
    const client = new pg.Client({ connectionString: under.url })
    await client.connect()
    await client.query('UPDATE tidegate_schema SET version = 99')
    await client.query('ALTER TABLE nonces ADD COLUMN newer BIGINT NOT NULL DEFAULT 0')
    await client.end()
    await expect(under.open()).rejects.toThrow(/^it was made by a newer version of Tidegate$/)
    // an instance of the earlier version, while instances are replaced one after another
    const address = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'
    expect([await running.nonces.consume(address, '5'), await running.nonces.consume(address, '5')]).toEqual([
      true,
      false,
    ])
    await running.close()
    await under.destroy()
    const wrong = openPostgresStore({ url: server.url().replace('secret', 'hunter2'), connections: 1, timeout: 2000 })
    await expect(wrong).rejects.toThrow(/^28P01$/)
  })

  it('lets requests wait for a connection after one has waited in vain, as long as a server answers', async () => {
    const driver = await openPostgres({ url: server.url(), connections: 1, timeout: 2000 })
    const ask = () => driver.query({ text: 'SELECT 1 AS one', values: [] })
    let release: (() => void) | undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const holding = driver.session(() => released)
    await expect(ask()).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
    const waiting = [ask(), ask()]
    release?.()
    expect((await Promise.all(waiting)).map(({ rows }) => rows)).toEqual([[{ one: 1 }], [{ one: 1 }]])
    await holding
    await driver.close()
  })

  it('may restart: queries fail meanwhile, and succeed afterwards without a restart of the service (threat 32)', async () => {
    const under = await emptyState(server)
    const store = await under.open()
    const address = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'
    const other = '0xBE5449a6A97aD46c8558A3356267Ee5D2731ab5e'
    expect(await store.nonces.consume(address, '5')).toBe(true)
    expect(await store.index.tryLead(1)).toBe(true)
    const restarted = server.restart()
    let refused = 0
    let at = 0
    await eventually(async () => {
      // a new one each time: one that was used is refused without the database
      await store.nonces.consume(other, String(++at).padStart(9, '0')).catch((error) => {
        expect(error).toMatchObject({ code: 'STATE_UNAVAILABLE' })
        refused += 1
      })
      return refused > 0
    })
    await restarted
    await eventually(() => store.nonces.last(address).catch(() => undefined))
    expect(await store.nonces.last(address)).toBe('5')
    expect(await store.nonces.consume(address, '5')).toBe(false)
    expect(await store.nonces.consume(address, '6')).toBe(true)
    await eventually(() => store.index.tryLead(1).catch(() => false))
    await store.close()
    await under.destroy()
  })
})
