import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ProviderKey, providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { parseNonce } from '../../packages/provider/src/auth/nonces/nonce.js'
import { openPostgresStore } from '../../packages/provider/src/state/postgres.js'
import { newFolder } from '../helpers/cleanup.js'
import { eventually } from '../helpers/eventually.js'
import { type Instance, startInstance } from '../helpers/instance.js'
import { type PostgresBackend, startPostgresServer } from '../helpers/postgres-server.js'
import { ask, signatureOf } from '../helpers/requests.js'
import { sized } from '../helpers/sizes.js'
import { World } from '../helpers/world.js'

const UNIQUE = sized(350, 7000)
/** Including the duplicates. */
const REQUESTS = (UNIQUE / 7) * 10
const ACCOUNTS = sized(50, 500)
const INSTANCES = sized(2, 3)
const AT_ONCE = 32

interface Request {
  account: ProviderKey
  nonce: number
}

/** When an instance began to lead the last time, or 0. */
function ledAt({ lines }: Instance): number {
  const last = lines.findLast((line) => line.includes('this instance leads'))
  return last === undefined ? 0 : (JSON.parse(last) as { time: number }).time
}

/** Several instances that share a PostgreSQL and nothing else. */
describe(`${INSTANCES} instances on one PostgreSQL`, () => {
  let world: World
  let postgres: PostgresBackend
  let instances: Instance[]
  let environment: NodeJS.ProcessEnv

  beforeAll(async () => {
    ;[world, postgres] = await Promise.all([World.start(), startPostgresServer()])
    environment = world.beside({ DATABASE_URL: postgres.url(), STATE_DIR: newFolder(), INDEX_POLL_INTERVAL: '500' })
    instances = await Promise.all(Array.from({ length: INSTANCES }, () => startInstance(environment)))
  })
  afterAll(() => Promise.all(instances.map((instance) => instance.end())))

  const anyone = () => instances[randomInt(instances.length)] as Instance
  const expiration = Math.floor(Date.now() / 1000) + 3600
  const base = 1_700_000_000_000

  function query({ account, nonce }: Request): string {
    const params = { address: account.address, nonce: `${nonce}`, expiration: `${expiration}` }
    return `${new URLSearchParams({ ...params, signature: signatureOf(account, account.address + nonce) })}`
  }
  async function createToken(request: Request): Promise<string | undefined> {
    const response = await fetch(`${anyone().url}/api/services/createAuthToken?${query(request)}`)
    const { token } = (await response.json()) as { token?: string }
    // a killed instance does not answer, and an unavailable database is a 503: neither accepts the nonce
    expect([200, 400, 503]).toContain(response.status)
    return token
  }
  async function deleteToken(at: Instance, { account, nonce }: Request, token: string) {
    const body = { address: account.address, nonce, token, signature: signatureOf(account, account.address + nonce) }
    const headers = { 'content-type': 'application/json' }
    return ask(`${at.url}/api/services/deleteAuthToken`, { method: 'DELETE', headers, body: JSON.stringify(body) })
  }

  it(`accept each of ${REQUESTS} signed requests at most once, with 30% duplicates, kill -9 and a database restart (threat 32)`, async () => {
    const accounts = Array.from({ length: ACCOUNTS }, (_, at) =>
      providerKey(`0x${(at + 1).toString(16).padStart(64, '0')}`),
    )
    const unique = Array.from({ length: UNIQUE }, (_, at): Request => {
      return { account: accounts[at % ACCOUNTS] as ProviderKey, nonce: base + Math.floor(at / ACCOUNTS) }
    })
    // roughly in the order of their nonces, so that many are accepted, with each duplicate close to its original
    const all = unique.flatMap((request, at) => (at % 7 < 3 ? [request, request] : [request]))
    expect(all).toHaveLength(REQUESTS)
    for (let at = 0; at < all.length; at++) {
      const other = Math.min(all.length - 1, at + randomInt(20))
      ;[all[at], all[other]] = [all[other] as Request, all[at] as Request]
    }

    const accepted: (Request & { token: string })[] = []
    const faults = new Map([
      [0.2, () => replace(0)],
      [0.45, () => postgres.restart()],
      [0.7, () => replace(1)],
    ])
    async function replace(at: number): Promise<void> {
      await instances[at]?.end('SIGKILL')
      instances[at] = await startInstance(environment)
    }
    // in sequence: an instance cannot start while the database is down
    let broken = Promise.resolve()
    let next = 0
    const worker = async () => {
      while (next < all.length) {
        const request = all[next++] as Request
        for (const [when, fault] of faults)
          if (next / all.length >= when) {
            faults.delete(when)
            broken = broken.then(fault)
          }
        const token = await createToken(request).catch(() => undefined)
        if (token) accepted.push({ ...request, token })
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    await broken
    expect(faults.size).toBe(0)

    const keys = accepted.map(({ account, nonce }) => `${account.address} ${nonce}`)
    expect(new Set(keys).size).toBe(keys.length)
    expect(accepted.length).toBeGreaterThan(UNIQUE / 4)

    const store = await openPostgresStore({ url: postgres.url(), connections: 5, timeout: 60_000 })
    const highest = new Map<string, Request>()
    for (const one of accepted)
      if (one.nonce > (highest.get(one.account.address)?.nonce ?? 0)) highest.set(one.account.address, one)
    for (const { account, nonce } of highest.values()) {
      const last = (await store.nonces.last(account.address)) ?? ''
      expect(last >= parseNonce(`${nonce}`, 10n ** 39n).sortKey).toBe(true)
    }
    await store.close()
    for (const one of [...highest.values()].slice(0, 40)) expect(await createToken(one)).toBeUndefined()

    const [revoked] = accepted.slice(-1) as [Request & { token: string }]
    const fresh = () => ({ account: revoked.account, nonce: base + 1000 + Date.now() })
    expect((await deleteToken(anyone(), fresh(), revoked.token)).status).toBe(200)
    await postgres.restart()
    for (const instance of instances)
      await eventually(async () => {
        const { json } = await deleteToken(instance, fresh(), revoked.token)
        if (json.success) throw new Error('A revoked token was accepted.')
        return json.error === 'Token is deleted.'
      })
  })

  it('have one leader that maintains the index, and fail over to another one', async () => {
    const publish = () => world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')))
    const seenBy = (did: string) =>
      Promise.all(instances.map(async ({ url }) => (await ask(`${url}/api/aquarius/assets/ddo/${did}`)).status))
    const first = await publish()
    await eventually(async () => (await seenBy(first.did)).every((status) => status === 200))
    // the leader is among those that are killed: one remains that did not lead last
    instances.sort((a, b) => ledAt(a) - ledAt(b))
    await Promise.all(instances.splice(1).map((instance) => instance.end('SIGKILL')))
    const second = await publish()
    await eventually(async () => (await seenBy(second.did)).every((status) => status === 200))
    expect((await ask(`${instances[0]?.url}/ready`)).json).toMatchObject({ ready: true, store: true })
  })
})
