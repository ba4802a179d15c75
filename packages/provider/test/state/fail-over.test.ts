import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { PostgresProxy } from '../../../../test/e2e/postgres-proxy.js'
import { atEnd } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { onPostgres } from '../../../../test/helpers/on-postgres.js'
import { type PostgresPair, startPostgresPair } from '../../../../test/helpers/postgres-pair.js'
import { PG_PASSWORD } from '../../../../test/helpers/postgres-server.js'
import { ALICE, BOB } from '../../../../test/helpers/store-session.js'
import { CutOver } from '../../src/auth/nonces/cut-over.js'
import { parseNonce } from '../../src/auth/nonces/nonce.js'
import { replicationFindings } from '../../src/commands/doctor/replication.js'
import { openPostgresStore } from '../../src/state/postgres.js'
import { key } from './stores.js'

/** Opens the store as another instance. `timeout`: as DATABASE_TIMEOUT. */
async function open(url: string, timeout = 30_000) {
  const store = await openPostgresStore({ url, connections: 3, timeout })
  atEnd(() => store.close())
  return store
}

type Store = Awaited<ReturnType<typeof open>>

/** The URL of both servers of a pair; the standby first, as after an earlier fail-over. */
const urlOf = ({ primary, standby }: PostgresPair) =>
  `postgres://postgres:${PG_PASSWORD}@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres?target_session_attrs=read-write`

/** What doctor says of the replication. */
const findings = async (store: Store) => {
  const all: string[] = []
  for await (const { text } of replicationFindings(store)) all.push(text)
  return all
}

const time = (at: number) => parseNonce(`${at}`, 10n ** 39n)
const recovered = (store: Store) => eventually(() => store.nonces.last(BOB).catch(() => false))
const future = () => Math.floor(Date.now() / 1000) + 3600

it('continues on the promoted standby with every acknowledged write, if the replication is synchronous (threat 119)', async () => {
  const pair = await startPostgresPair(true)
  const [first, second] = [await open(urlOf(pair)), await open(urlOf(pair))]
  const token = randomUUID()
  expect(await findings(first)).toEqual([])
  expect(await first.index.tryLead(1)).toBe(true)
  expect(await first.nonces.consume(BOB, key('1'))).toBe(true)
  await first.revocations.revoke(token, future())
  let acknowledged = 0
  const writing = (async () => {
    for (;;) {
      if (!(await first.nonces.consume(ALICE, key(`${acknowledged + 1}`)))) return
      acknowledged += 1
    }
  })().catch((error) => error)
  await eventually(() => acknowledged > 20)
  await pair.primary.crash()
  expect(await writing).toMatchObject({ code: 'STATE_UNAVAILABLE' })
  await pair.standby.promote()
  await Promise.all([recovered(first), recovered(second)])
  for (const store of [first, second]) {
    expect((await store.nonces.last(ALICE)) ?? '').toSatisfy((last: string) => last >= key(`${acknowledged}`))
    expect(await store.nonces.consume(ALICE, key(`${acknowledged}`))).toBe(false)
    expect(await store.revocations.isRevoked(token)).toBe(true)
  }
  // one leads, and the other one does not
  const leaders = () => Promise.all([first, second].map((store) => store.index.tryLead(1).catch(() => false)))
  await eventually(async () => (await leaders()).includes(true))
  expect((await leaders()).filter(Boolean)).toHaveLength(1)
})

it('accepts nothing again that a lagging standby lacks (threat 119)', async () => {
  const pair = await startPostgresPair()
  const [first, second] = [await open(urlOf(pair)), await open(urlOf(pair))]
  const cutOver = new CutOver(second.cutOver)
  expect(await first.nonces.consume(BOB, key('1'))).toBe(true)
  await pair.standby.caughtUp()
  expect(await findings(first)).toEqual([expect.stringContaining('follows asynchronously')])
  await pair.standby.lag()
  const accepted = time(Date.now())
  await cutOver.check(accepted)
  const [token, counted] = [randomUUID(), key('7')]
  expect(await first.nonces.consume(ALICE, accepted.sortKey)).toBe(true)
  expect(await first.nonces.consume(BOB, counted, 1)).toBe(true)
  expect(await first.revocations.revoke(token, future())).toBe(true)
  await pair.primary.crash()
  await pair.standby.promote()
  // another instance is the first one to connect
  await recovered(second)
  expect(await onPostgres(pair.standby.url(), `SELECT * FROM nonces WHERE address = '${ALICE}'`)).toEqual([])
  await expect(cutOver.check(accepted)).rejects.toMatchObject({
    fields: { nonce: [expect.stringContaining('Sign again')] },
  })
  await cutOver.check(time(Date.now() + 1))
  // the first one brings what it remembers, which no time protects
  await recovered(first)
  expect(await second.nonces.consume(ALICE, accepted.sortKey)).toBe(false)
  expect(await second.nonces.consume(BOB, counted, 1)).toBe(false)
  expect(await second.revocations.isRevoked(token)).toBe(true)
  // an instance that starts later does not change the time
  const at = await second.cutOver.get()
  expect(await (await open(urlOf(pair))).cutOver.get()).toBe(at)
})

it('lets an instance that starts after the promotion refuse what is lost (threat 119)', async () => {
  const pair = await startPostgresPair()
  await (await open(urlOf(pair))).close()
  await pair.standby.caughtUp()
  await pair.primary.crash()
  const before = Date.now()
  await pair.standby.promote()
  const { cutOver } = await open(urlOf(pair))
  expect(await cutOver.get()).toBeGreaterThanOrEqual(before)
})

it('uses neither open connections to a former primary nor new ones, after it has seen the next one (threat 119)', async () => {
  const pair = await startPostgresPair()
  const proxy = await PostgresProxy.before(pair.primary.port)
  const store = await open(proxy.url(pair.primary.url()))
  await Promise.all(Array.from({ length: 3 }, (_, at) => store.nonces.consume(BOB, key(`${at + 1}`))))
  await pair.standby.caughtUp()
  await pair.standby.promote()
  proxy.port = pair.standby.port
  // two connections to the former primary stay open, and the third one is replaced
  await onPostgres(
    pair.primary.url(),
    `SELECT pg_terminate_backend(min(pid)) FROM pg_stat_activity WHERE query LIKE 'INSERT INTO nonces%'`,
  )
  // at once, so that they need a new connection; on a busy machine the two open ones may take turns
  let tried = 0
  await eventually(async () => {
    const nonces = Array.from({ length: 3 }, () => key(`${100 + tried++}`))
    await Promise.all(nonces.map((nonce) => store.nonces.consume(ALICE, nonce).catch(() => false)))
    const found = `SELECT 1 AS found FROM nonces WHERE address = '${ALICE}'`
    return (await onPostgres(pair.standby.url(), found)).length > 0
  })
  for (let nonce = 100_020; nonce < 100_030; nonce++) {
    expect(await store.nonces.consume(ALICE, key(`${nonce}`))).toBe(true)
    expect(
      await onPostgres(pair.standby.url(), `SELECT 1 AS found FROM nonces WHERE nonce = '${key(`${nonce}`)}'`),
    ).toHaveLength(1)
  }
  proxy.port = pair.primary.port
  proxy.cutAll()
  await expect(store.nonces.consume(ALICE, key('100040'))).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
  expect(await store.checkHealth()).toMatchObject({ code: 'STATE_OUTDATED' })
  proxy.port = pair.standby.port
  await eventually(() => store.nonces.consume(ALICE, key('100050')).catch(() => false))
})

it('fails at once while no server answers, except for one request that tries (threat 119)', async () => {
  const pair = await startPostgresPair()
  const proxy = await PostgresProxy.before(pair.primary.port)
  const store = await open(proxy.url(pair.primary.url()), 3000)
  expect(await store.nonces.consume(BOB, key('1'))).toBe(true)
  await pair.standby.caughtUp()
  proxy.frozen = true
  proxy.freezeOpen()
  // the host vanished: first the open connections time out, then a new one
  await eventually(() =>
    store.nonces.last(ALICE).then(
      () => false,
      () => true,
    ),
  )
  await eventually(() =>
    store.nonces.last(ALICE).then(
      () => false,
      () => true,
    ),
  )
  const order: number[] = []
  await Promise.all(Array.from({ length: 100 }, (_, at) => store.nonces.last(ALICE).catch(() => order.push(at))))
  expect(order).toHaveLength(100)
  expect(order.at(-1)).toBe(0)
  await pair.standby.promote()
  proxy.port = pair.standby.port
  proxy.thaw()
  await recovered(store)
})
