import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { type Instance, startInstance } from '../../../../test/helpers/instance.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import { ask } from '../../../../test/helpers/requests.js'
import { type Service, startHere } from '../../../../test/helpers/service-here.js'
import { begin, bytesOf, idOf, pathOf, tokenOf, tus, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'

/** More than one checkpoint. */
const CONTENT = randomBytes(21_000_000)
const SHA256 = createHash('sha256').update(CONTENT).digest('hex')

/** Two instances on one PostgreSQL, which share a folder: a process, which is killed, and another in this one. */
describe('uploads', () => {
  let world: World
  let postgres: PostgresDatabase
  let instances: [Pick<Instance, 'url' | 'end'>, Service]
  let folder: string
  let publisher: Wallet
  let auth: Record<string, string>

  const files = () => join(folder, 'files')
  const settings = (changed: NodeJS.ProcessEnv = {}) =>
    world.beside({
      ...{ DATABASE_URL: postgres.url(), STATE_DIR: join(folder, 'state') },
      ...{ HOSTING: 'local', HOSTING_DIR: files(), HOSTING_PUBLISHERS: '*', ...changed },
    })
  const first = () => instances[0].url
  const second = () => instances[1].url
  const offset = async (url: string) => Number((await tus(url, 'HEAD', auth)).headers.get('upload-offset'))
  const elsewhere = (url: string) => second() + new URL(url).pathname

  beforeAll(async () => {
    ;[world, postgres] = await Promise.all([World.start(), startPostgres()])
    folder = newFolder()
    instances = await Promise.all([startInstance(settings()), startHere(settings())])
    publisher = await world.somebody()
    auth = await tokenOf(first(), publisher)
  })
  afterAll(() => Promise.all(instances.map((instance) => instance.end())))

  it('survive kill -9 of the service with what was acknowledged, and go on at another instance', async () => {
    const url = await begin(first(), CONTENT.length, auth)
    const body = new ReadableStream({ start: (controller) => controller.enqueue(CONTENT.subarray(0, 20_000_000)) })
    const headers = {
      ...{ ...auth, 'tus-resumable': '1.0.0', 'upload-offset': '0' },
      'content-type': 'application/offset+octet-stream',
    }
    const broken = fetch(url, { method: 'PATCH', headers, body, duplex: 'half' } as RequestInit).catch(() => 'broken')
    const received = async () => Number((await ask(elsewhere(url), { headers: auth })).json.offset)
    await eventually(async () => (await received()) > 0)
    await instances[0].end('SIGKILL')
    expect(await broken).toBe('broken')
    const acknowledged = await received()
    expect(acknowledged).toBeGreaterThanOrEqual(16_777_216)
    expect(bytesOf(files(), idOf(url)).subarray(0, acknowledged).equals(CONTENT.subarray(0, acknowledged))).toBe(true)
    // the lock of the dead instance ends by itself, after seconds
    await eventually(async () => (await tus(elsewhere(url), 'HEAD', auth)).status === 200, undefined, 250)
    expect(await offset(elsewhere(url))).toBe(acknowledged)
    await upload(second(), CONTENT, auth, { uploadUrl: elsewhere(url), chunkSize: 5_000_000 })
    expect((await ask(elsewhere(url), { headers: auth })).json).toMatchObject({
      sha256: SHA256,
      offset: CONTENT.length,
    })
    expect(bytesOf(files(), idOf(url)).equals(CONTENT)).toBe(true)
    instances[0] = await startHere(settings())
    expect((await ask(first() + new URL(url).pathname, { headers: auth })).json.sha256).toBe(SHA256)
  })

  it('go from one instance to the other with every part', async () => {
    const url = await begin(first(), 3_000_000, auth)
    for (let at = 0; at < 3; at++) {
      const base = at % 2 ? second() : first()
      const part = CONTENT.subarray(at * 1_000_000, (at + 1) * 1_000_000)
      const headers = { ...auth, 'upload-offset': String(at * 1_000_000) }
      expect((await tus(base + new URL(url).pathname, 'PATCH', headers, part)).status).toBe(204)
    }
    const { json } = await ask(url, { headers: auth })
    expect(json.sha256).toBe(createHash('sha256').update(CONTENT.subarray(0, 3_000_000)).digest('hex'))
  })

  it('say that they are lost where somebody has deleted or cut their bytes, at any instance, and nothing else is', async () => {
    for (const damage of [(path: string) => unlinkSync(path), (path: string) => truncateSync(path, 400_000)])
      for (const at of [first, second]) {
        const url = await begin(first(), 1_000_000, auth)
        const part = (from: number, to: number) =>
          tus(
            at() + new URL(url).pathname,
            'PATCH',
            { ...auth, 'upload-offset': String(from) },
            CONTENT.subarray(from, to),
          )
        const begun = await tus(url, 'PATCH', { ...auth, 'upload-offset': '0' }, CONTENT.subarray(0, 500_000))
        expect(begun.status).toBe(204)
        damage(pathOf(files(), idOf(url)))
        for (let count = 0; count < 2; count++) {
          const { status, json } = await part(500_000, 1_000_000)
          expect([status, json.code]).toEqual([410, 'UPLOAD_LOST'])
          expect(JSON.stringify(json)).not.toContain(folder)
        }
        expect((await ask(url, { headers: auth })).json).toMatchObject({ offset: 500_000, sha256: null })
        const deleted = await ask(url, { method: 'DELETE', headers: { ...auth, 'tus-resumable': '1.0.0' } })
        expect(deleted.status).toBe(204)
        const again = await upload(first(), CONTENT.subarray(0, 1_000_000), auth)
        expect((await ask(again, { headers: auth })).json.offset).toBe(1_000_000)
      }
  })

  it('are refused by a full disk, which loses nothing, and go on by themselves when there is room', async () => {
    const disk = join(folder, 'disk')
    mkdirSync(disk)
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk]).status === 0
    if (!mounted) return console.warn('SKIPPED: uploads on a full disk. Nothing can be mounted here.')
    const full = await startHere(settings({ HOSTING_DIR: join(disk, 'files') }))
    try {
      const ballast = join(disk, 'ballast')
      const content = CONTENT.subarray(0, 6_000_000)
      const url = await begin(full.url, content.length, auth)
      writeFileSync(ballast, Buffer.alloc(5_000_000))
      const owned = async () =>
        ((await ask(`${full.url}/api/services/uploads`, { headers: auth })).json.uploads as []).length
      const before = await owned()
      const create = (size: number) =>
        tus(`${full.url}/api/services/uploads`, 'POST', { ...auth, 'upload-length': String(size) })
      expect(await create(content.length)).toMatchObject({ status: 507, json: { code: 'HOSTING_FULL' } })
      expect([await owned(), (await create(1000)).status]).toEqual([before, 201])
      const part = (from: number, to: number) =>
        tus(url, 'PATCH', { ...auth, 'upload-offset': String(from) }, content.subarray(from, to))
      expect((await part(0, 1_000_000)).status).toBe(204)
      const refused = await part(1_000_000, content.length)
      expect([refused.status, refused.json.code]).toEqual([507, 'HOSTING_FULL'])
      expect(await offset(url)).toBeGreaterThanOrEqual(1_000_000)
      // a client that waits in the middle of its body gets the error at once
      const from = await offset(url)
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(content.subarray(from, from + 4_000_000)),
      })
      const headers = { ...auth, 'tus-resumable': '1.0.0', 'upload-offset': String(from) }
      const type = { 'content-type': 'application/offset+octet-stream' }
      const told = await fetch(url, {
        method: 'PATCH',
        headers: { ...headers, ...type },
        body,
        duplex: 'half',
      } as RequestInit)
      expect([told.status, told.headers.get('connection')]).toEqual([507, 'close'])
      const going = upload(full.url, content, auth, { uploadUrl: url, retryDelays: Array(100).fill(200) })
      rmSync(ballast)
      await going
      expect((await ask(url, { headers: auth })).json.sha256).toBe(createHash('sha256').update(content).digest('hex'))
    } finally {
      await full.end()
      spawnSync('umount', [disk])
    }
  })
})
