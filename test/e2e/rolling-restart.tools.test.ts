import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { freePort } from '../helpers/backends.js'
import { newFolder } from '../helpers/cleanup.js'
import { program } from '../helpers/deploy-tools.js'
import { eventually } from '../helpers/eventually.js'
import { type Instance, startInstance } from '../helpers/instance.js'
import { bodyOf, Nginx } from '../helpers/nginx.js'
import { type PostgresDatabase, startPostgres } from '../helpers/postgres-database.js'
import type { Published } from '../helpers/publish.js'
import { ask, createToken, downloadParams, freshNonce, served, signatureOf } from '../helpers/requests.js'
import { sized } from '../helpers/sizes.js'
import { World } from '../helpers/world.js'

const CONTENT = randomBytes(300_000)
const INSTANCES = sized(2, 4)
/** Clients that send requests all the time. */
const CLIENTS = 4
/** Milliseconds between the rounds of a client: always requests in flight, yet most of the processor for the restarts. */
const PAUSE = 30
const found = program('nginx')
if (!found) console.warn('SKIPPED: rolling restarts behind nginx. It is not installed (Debian: nginx-light).')

describe.skipIf(!found)(`${INSTANCES} instances on one PostgreSQL, behind nginx`, () => {
  let world: World
  let postgres: PostgresDatabase
  let nginx: Nginx
  let asset: Published
  let ports: number[]
  let instances: Instance[]
  let environment: Record<string, string>

  beforeAll(async () => {
    ;[world, postgres] = await Promise.all([World.start(), startPostgres()])
    ports = await Promise.all(Array.from({ length: INSTANCES }, freePort))
    environment = world.beside({
      DATABASE_URL: postgres.url(),
      STATE_DIR: newFolder(),
      TRUSTED_PROXIES: '127.0.0.1,::1',
      ANONYMOUS_REQUESTS: '1000000',
      INDEX_POLL_INTERVAL: '500',
    })
    asset = await world.publishUrl(world.storage.file('/a.bin', CONTENT))
    instances = await Promise.all(ports.map(started))
    nginx = await Nginx.before(found as string, ...instances.map(({ url }) => url))
  })
  afterAll(async () => {
    await nginx?.close()
    await Promise.all(instances.map((instance) => instance.end()))
    await postgres.close()
    await world.close()
  })

  async function started(port: number): Promise<Instance> {
    const instance = await startInstance({ ...environment, PORT: String(port) })
    await eventually(async () => (await ask(`${instance.url}/ready`)).status === 200)
    await served(instance.url, asset)
    return instance
  }

  it('are restarted in sequence under load, and no request is lost', async () => {
    const buyers = await Promise.all(Array.from({ length: CLIENTS }, () => world.somebody()))
    const orders = await Promise.all(buyers.map((buyer) => world.order(asset, buyer)))
    let answered = 0
    let rolled = false
    const lost: unknown[] = []
    const get = async (path: string, options: Parameters<Nginx['ask']>[1] = {}) => {
      const response = await nginx.ask(path, options)
      const body = await bodyOf(response)
      answered += 1
      if (response.statusCode !== 200)
        lost.push([path.slice(0, 40), response.statusCode, body.toString().slice(0, 200)])
      return body
    }
    const client = async (at: number) => {
      const buyer = buyers[at] as (typeof buyers)[number]
      const key = providerKey(buyer.privateKey)
      const params = () => downloadParams(asset, orders[at] as string, buyer)
      const authtoken = (await createToken(world.network.providerUrl, key, freshNonce())).json.token as string
      const json = { 'content-type': 'application/json' }
      const file = Buffer.from(JSON.stringify({ did: asset.did, serviceId: asset.ddo.services[0]?.id }))
      while (!rolled) {
        const signed = await get(`/api/services/download?${await params()}`)
        const byToken = await get(`/api/services/download?${await params()}`, { headers: { authtoken } })
        if (!signed.equals(CONTENT) || !byToken.equals(CONTENT)) lost.push([signed.length, byToken.length])
        await get(`/api/services/nonce?userAddress=${buyer.address}`)
        await get('/api/services/fileinfo', { method: 'POST', headers: json, body: file })
        const nonce = freshNonce()
        const signature = signatureOf(key, key.address + nonce)
        const token = { address: key.address, nonce, expiration: `${Math.floor(Date.now() / 1000) + 600}`, signature }
        await get(`/api/services/createAuthToken?${new URLSearchParams(token)}`)
        await sleep(PAUSE)
      }
    }
    const clients = Promise.all(buyers.map((_, at) => client(at))).finally(() => (rolled = true))
    for (const [at, port] of ports.entries()) {
      const before = answered
      await eventually(() => answered > before + 2 * CLIENTS || rolled)
      await instances[at]?.end('SIGTERM')
      instances[at] = await started(port)
    }
    rolled = true
    await clients
    expect(lost, nginx.complaints).toEqual([])
    expect(answered).toBeGreaterThan(2 * INSTANCES * CLIENTS)
  })
})
