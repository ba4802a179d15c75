import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import Database from 'libsql'
import type { Hex } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { DATABASE_FILE } from '../../packages/database/src/sqlite/sqlite-file.js'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { newFolder } from '../helpers/cleanup.js'
import { eventually } from '../helpers/eventually.js'
import { type Instance, startInstance } from '../helpers/instance.js'
import { createToken, downloadParams, freshNonce } from '../helpers/requests.js'
import { World } from '../helpers/world.js'

const WORKERS = 2
const MAX = 80
const REQUESTS = 40
const ANONYMOUS = 15
const BYTES = 1 << 20

/** Limits by address, of a service with several processes. */
describe('limits of several workers', () => {
  let instance: Instance
  let world: World
  let state: string
  beforeAll(async () => {
    world = await World.start()
    state = newFolder()
    const limits = {
      MAX_CONNECTIONS: `${MAX}`,
      RATE_LIMIT_REQUESTS: `${REQUESTS}`,
      ANONYMOUS_REQUESTS: `${ANONYMOUS}`,
      RATE_LIMIT_BYTES: `${BYTES}`,
    }
    instance = await startInstance(world.beside({ STATE_DIR: state, WORKERS: `${WORKERS}`, ...limits }))
    const ready = () => instance.lines.filter((line) => line.includes('"worker ready"')).length
    await eventually(() => ready() === WORKERS)
  })

  /** Opens connections from an address of this machine, which go to the workers in turn. */
  async function from(localAddress: string, count: number, text = ''): Promise<Socket[]> {
    const { hostname: host, port } = new URL(instance.url)
    const sockets = Array.from({ length: count }, () => connect({ host, port: Number(port), localAddress }))
    for (const socket of sockets) socket.on('error', () => undefined).on('data', () => undefined)
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    if (text) for (const socket of sockets) socket.write(text)
    return sockets
  }
  /** Sends a request from an address over a connection of its own. Returns its status. */
  const send = (localAddress: string, method: string, path: string, headers = {}) =>
    new Promise<number>((resolve, reject) => {
      const sent = request(`${instance.url}${path}`, { method, localAddress, headers, agent: false }, (response) =>
        response.resume().on('end', () => resolve(response.statusCode as number)),
      )
      sent.on('error', reject).end()
    })
  const statuses = async (count: number, ...to: Parameters<typeof send>) => {
    const all: number[] = []
    for (let at = 0; at < count; at++) all.push(await send(...to))
    return all
  }

  it('leave an address no more than half of all connections in sum, and serve others (threat 131)', async () => {
    const HEAD = 'GET /live HTTP/1.1\r\nhost: x\r\n\r\n'
    const held = await from('127.0.0.2', 2 * MAX)
    const open = () => held.filter((socket) => !socket.destroyed).length
    const others = await from('127.0.0.3', 6, HEAD)
    await Promise.all(others.map((socket) => once(socket, 'data')))
    // a worker closes those above a quarter when it has more than half of its connections
    await eventually(() => open() <= MAX / 2)
    expect(others.every((socket) => !socket.destroyed)).toBe(true)
    for (const socket of [...held, ...others]) socket.destroy()
  })

  it('count the requests of an address in sum (threat 143)', async () => {
    const all = await statuses(REQUESTS + 10, '127.0.0.4', 'GET', '/')
    expect(all.filter((status) => status === 429)).toHaveLength(10)
  })

  it('count the bytes of downloads of an address in sum (threat 143)', async () => {
    const content = Buffer.alloc(BYTES / 2)
    const { asset, buyer, txId } = await world.sold(world.storage.file('/half.bin', content))
    const { json } = await createToken(instance.url, providerKey(buyer.privateKey as Hex), freshNonce())
    const headers = { authtoken: String(json.token) }
    const params = await downloadParams(asset, txId, buyer, { nonce: undefined, signature: undefined })
    const path = `/api/services/download?${params}`
    // the index of this instance may be behind the sale
    await eventually(async () => (await send('127.0.0.7', 'HEAD', path, headers)) === 200)
    const database = new Database(join(state, DATABASE_FILE), { readonly: true })
    const counted = () => database.prepare('SELECT used FROM usage_windows WHERE id = ?').get('bytes 127.0.0.6')
    for (let sent = 1; sent <= 2; sent++) {
      expect(await send('127.0.0.6', 'GET', path, headers)).toBe(200)
      // a worker counts bytes when they are written, and tells the others after that
      await eventually(() => (counted() as { used: number } | undefined)?.used === (sent * BYTES) / 2)
    }
    database.close()
    expect(await statuses(2, '127.0.0.6', 'GET', path, headers)).toEqual([429, 429])
  })

  it('count anonymous requests of an address in each worker, as their setting says (threat 143)', async () => {
    const all = await statuses(REQUESTS, '127.0.0.5', 'GET', '/api/services/initialize')
    const accepted = all.filter((status) => status !== 429).length
    expect(accepted).toBeGreaterThan(ANONYMOUS)
    expect(accepted).toBeLessThanOrEqual(WORKERS * ANONYMOUS)
  })
})
