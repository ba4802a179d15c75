import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import { ask } from '../../../../test/helpers/requests.js'
import { type Service, startHere } from '../../../../test/helpers/service-here.js'
import { tokenOf } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'
import { ALL_ENDPOINTS } from '../../src/http/server.js'

/** Values as they stand in a URL, and as they are in JSON. */
const VALUES: [inUrl: string, inJson: string][] = [
  ['%00', '\0'],
  [`did:op:${'0'.repeat(63)}%00`, `did:op:${'0'.repeat(63)}\0`],
  ['a%ed%a0%80', 'a\ud800'],
  ['%ff', '\udc00'],
  ['%c0%80', '\ud800\0'],
  ['%', '\uffff'],
  ['%F0%9F', 'a'.repeat(60_000)],
  ['a'.repeat(5000), 'a'.repeat(5000)],
]

type Names = Record<string, unknown> | undefined
const namesOf = (names: Names) => Object.keys(names ?? {})

/** Every parameter of every route, on both databases. */
describe('text that a database cannot store', () => {
  let world: World
  let postgres: PostgresDatabase
  let folder: string
  const services: Service[] = []
  let auth: Record<string, string>

  beforeAll(async () => {
    folder = newFolder()
    ;[world, postgres] = await Promise.all([World.start(), startPostgres()])
    const hosting = { HOSTING: 'local', HOSTING_PUBLISHERS: '*', ORDER_WAIT: '0' }
    const settings = (name: string, changed = {}) =>
      world.beside({
        STATE_DIR: join(folder, name),
        HOSTING_DIR: join(folder, `${name}-files`),
        ...hosting,
        ...changed,
      })
    services.push(await startHere(settings('sqlite')))
    services.push(await startHere(settings('postgres', { DATABASE_URL: postgres.url() })))
  })
  afterAll(async () => {
    for (const service of services) await service.end()
  })

  it.each([
    ['the embedded database', 0],
    ['PostgreSQL', 1],
  ])('is never a 5xx, in any parameter of any route, on %s (threat 97)', async (_, which) => {
    const { url: base } = services[which] as Service
    auth = await tokenOf(base, await world.somebody())
    const failed: string[] = []
    const send = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
      const init = { method, headers: { ...auth, ...headers }, ...(body === undefined ? {} : { body }) }
      const { status } = await ask(base + path, init)
      if (status >= 500) failed.push(`${status} ${method} ${path.slice(0, 200)} ${body?.slice(0, 200)}`)
    }
    for (const { method, path, doc } of ALL_ENDPOINTS)
      for (const [inUrl, inJson] of VALUES) {
        const filled = path.replace(/:\w+/g, inUrl)
        await send(method, filled, { 'tus-resumable': '1.0.0', 'upload-offset': '0' })
        const names = [
          ...namesOf(doc.params),
          ...namesOf(doc.body === 'json' ? (doc.bodySchema?.properties as Names) : undefined),
        ]
        for (const name of names) {
          await send(method, `${path.replace(/:\w+/g, 'a')}?${name}=${inUrl}`, {})
          if (method !== 'GET')
            await send(method, path, { 'content-type': 'application/json' }, JSON.stringify({ [name]: inJson }))
        }
      }
    expect(failed).toEqual([])
  })

  it('is named by its field, and the same on both databases (threat 97)', async () => {
    for (const { url } of services) {
      for (const route of ['ddo', 'metadata']) {
        const refused = await ask(`${url}/api/aquarius/assets/${route}/did%3Aop%3A%00`)
        expect([route, refused.status, refused.json.errors]).toEqual([
          route,
          400,
          { did: ['The did field must not hold a NUL byte.'] },
        ])
      }
      expect((await ask(`${url}/api/aquarius/assets/ddo/did%3Aop%3A${'0'.repeat(64)}`)).status).toBe(404)
    }
  })
})
