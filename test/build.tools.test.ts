import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build, ROOT } from './helpers/built.js'
import { mined } from './helpers/consume.js'
import { DICTIONARIES, lzmaOf, xzOf } from './helpers/containers.js'
import { eventually } from './helpers/eventually.js'
import { type Instance, startInstance } from './helpers/instance.js'
import { ocean } from './helpers/ocean.js'
import { prepared } from './helpers/prepared.js'
import { ask, downloadParams } from './helpers/requests.js'
import { World } from './helpers/world.js'

/** The output of `npm run build`, with only what a production installation has beside it. */
describe('the build', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  /** The one that the test run has made. */
  const built = prepared('build') ?? folder
  const cli = join(built, 'dist', 'cli.js')
  let world: World
  let instance: Instance
  beforeAll(async () => {
    if (built === folder) build(folder)
    world = await World.start()
    instance = await startInstance(world.beside({ STATE_DIR: join(folder, 'state'), WORKERS: '2', CONSOLE: 'true' }), [
      cli,
    ])
  })
  afterAll(async () => {
    await instance.end()
    await world.close()
    rmSync(folder, { recursive: true })
  })

  it('publishes, sells and serves a file, and serves the page', async () => {
    const asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tide')))
    const buyer = await world.somebody()
    const txId = await world.order(asset, buyer)
    const get = (path: string) => ask(instance.url + path)
    await eventually(async () => (await get(`/api/aquarius/assets/ddo/${asset.did}`)).status === 200)
    expect((await get(`/api/services/download?${await downloadParams(asset, txId, buyer)}`)).text).toBe('tide')
    expect((await get('/api/docs')).text).toContain('swagger')
    expect((await get('/spec')).json).toMatchObject({ openapi: '3.1.0' })
  })

  it('serves the console, whose files have hashes of their content in their names', async () => {
    const { text } = await ask(`${instance.url}/console/`)
    const parts = [...text.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path]) => path as string)
    expect(parts.length).toBeGreaterThan(0)
    for (const path of parts) {
      expect((await ask(instance.url + path)).status, path).toBe(200)
      if (path.startsWith('/console/assets/')) expect(path).toMatch(/-[\w-]{8}\.\w+$/)
    }
  })

  it('reads and validates documents in its worker threads, in both containers', async () => {
    const publisher = await world.somebody()
    const { nft, did, ddo } = await world.publishUrl(world.storage.file('/b.csv', Buffer.from('b')), { publisher })
    const contract = new ocean.Nft(publisher, world.network.chainId)
    const served = async () => (await ask(`${instance.url}/api/aquarius/assets/ddo/${did}`)).json
    for (const [name, container] of [
      ['Ebb', lzmaOf],
      ['Flood', (bytes: Buffer) => xzOf(bytes, DICTIONARIES.small)],
    ] as const) {
      const text = Buffer.from(JSON.stringify({ ...ddo, metadata: { ...ddo.metadata, name } }))
      const hash = `0x${createHash('sha256').update(text).digest('hex')}`
      const data = `0x${container(text).toString('hex')}`
      await mined(contract.setMetadata(nft, publisher.address, 0, '', '', '0x01', data, hash))
      await eventually(async () => ((await served()).metadata as { name?: string } | undefined)?.name === name)
      const validate = `${instance.url}/api/aquarius/assets/ddo/validate`
      const headers = { 'content-type': 'application/octet-stream' }
      expect((await ask(validate, { method: 'POST', headers, body: text })).json).toMatchObject({ hash })
    }
  })

  it('searches off the event loop, and stops gracefully during a search', async () => {
    const other = await startInstance(world.beside({ STATE_DIR: join(folder, 'searched') }), [cli])
    const asset = await world.publishUrl(world.storage.file('/c.csv', Buffer.from('c')), {
      adjust: (ddo) => Object.assign(ddo.metadata, { name: 'Spring tide' }),
    })
    const search = (base: string) =>
      ask(`${base}/api/aquarius/assets/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          query: { match: { 'metadata.name': 'spring' } },
          aggs: { a: { terms: { field: 'id' } } },
        }),
      })
    const found = async () => {
      const { hits } = (await search(other.url)).json as { hits?: { hits: { _id: string }[] } }
      return hits?.hits.some(({ _id }) => _id === asset.did) ?? false
    }
    await eventually(found)
    // some of them run while others are queued
    const searches = Array.from({ length: 30 }, () => search(other.url).catch(() => undefined))
    await Promise.race(searches)
    await other.end()
    expect([other.process.exitCode, other.process.signalCode]).toEqual([0, null])
    await Promise.all(searches)
  })

  it('has its version, and the licences of bundled libraries', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(execFileSync(process.execPath, [cli, '--version'], { encoding: 'utf8' }).trim()).toBe(version)
    const licences = readFileSync(join(built, 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8')
    for (const name of ['viem', 'fastify', 'undici', 'pg', 'preact'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'))
  })

  it('needs no package that a production installation lacks', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages
    const imported = new Set<string>()
    const files = readdirSync(join(built, 'dist'), { encoding: 'utf8', recursive: true }).filter(
      (name) =>
        // the exported suites need vitest, which their user installs
        name.endsWith('.js') && name !== 'testing.js',
    )
    expect(files).toContain(join('tasks', 'worker.js'))
    for (const file of files)
      for (const [, name = ''] of readFileSync(join(built, 'dist', file), 'utf8').matchAll(
        /^import .*? from "([^."][^"]*)"/gm,
      ))
        imported.add(name)
    const packages = [...imported].flatMap((name) =>
      isBuiltin(name) ? [] : (/^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? []),
    )
    expect(packages.length).toBeGreaterThan(0)
    expect(packages.filter((name) => !(name in dependencies))).toEqual([])
    for (const name of packages) expect(lock[`node_modules/${name}`].dev, name).toBeUndefined()
  })
})
