import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { runHere } from '../../../../test/helpers/command-here.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { type Instance, startInstance } from '../../../../test/helpers/instance.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import { ask, downloadUrl } from '../../../../test/helpers/requests.js'
import { type S3Bucket, startBucket } from '../../../../test/helpers/s3-bucket.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { begin, idOf, tokenOf, tus, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'

/** One part, and the beginning of the next. */
const CONTENT = randomBytes(9_500_000)
const PART = 8_388_608
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const HOSTING_PAGE = fileURLToPath(new URL('../../../../docs/hosting.md', import.meta.url))

/** Instances on one PostgreSQL, killed in sequence, with a bucket of a real S3 server. */
describe('hosted files on S3', () => {
  let world: World
  let postgres: PostgresDatabase
  let server: S3Bucket
  /** Killed by the first test. */
  let killed: Instance
  let instances: Awaited<ReturnType<typeof startHere>>[]
  let folder: string
  let publisher: Wallet
  let auth: Record<string, string>

  const environment = (changed: NodeJS.ProcessEnv = {}) =>
    world.beside({
      ...{ DATABASE_URL: postgres.url(), STATE_DIR: join(folder, 'state'), HOSTING_PUBLISHERS: '*' },
      ...{ ...server.settings, HOSTING_S3_PREFIX: 'provider/files', ALLOW_NON_PUBLIC_IP: 'false', ...changed },
    })
  const first = () => instances[1]?.url as string
  const second = () => instances[0]?.url as string
  const elsewhere = (url: string) => second() + new URL(url).pathname
  const shown = async (url: string) => (await ask(url, { headers: auth })).json

  beforeAll(async () => {
    ;[world, postgres, server] = await Promise.all([World.start(), startPostgres(), startBucket()])
    folder = newFolder()
    killed = await startInstance(environment())
    instances = [await startHere(environment())]
    publisher = await world.somebody()
    auth = await tokenOf(second(), publisher)
  })
  afterAll(async () => {
    await Promise.all([killed.end('SIGKILL'), ...instances.map((instance) => instance.end())])
    await Promise.all([postgres.close(), world.close(), server.close()])
  })

  it('survive kill -9 of the service with what was acknowledged, and go on at another instance', async () => {
    const url = await begin(killed.url, CONTENT.length, auth)
    const body = new ReadableStream({ start: (controller) => controller.enqueue(CONTENT.subarray(0, 9_000_000)) })
    const headers = {
      ...{ ...auth, 'tus-resumable': '1.0.0', 'upload-offset': '0' },
      'content-type': 'application/offset+octet-stream',
    }
    const broken = fetch(url, { method: 'PATCH', headers, body, duplex: 'half' } as RequestInit).catch(() => 'broken')
    await eventually(async () => Number((await shown(elsewhere(url))).offset) >= PART)
    await killed.end('SIGKILL')
    expect(await broken).toBe('broken')
    // the lock of the dead instance ends by itself, after seconds
    await eventually(async () => (await tus(elsewhere(url), 'HEAD', auth)).status === 200, undefined, 250)
    expect(Number((await tus(elsewhere(url), 'HEAD', auth)).headers.get('upload-offset'))).toBe(PART)
    instances.push(await startHere(environment()))
    let at = PART
    for (const size of [10, 500_000, CONTENT.length]) {
      const part = CONTENT.subarray(at, at + size)
      const base = at % 2 ? first() : second()
      const sent = { ...auth, 'upload-offset': String(at) }
      const answer = await tus(base + new URL(url).pathname, 'PATCH', sent, part)
      at += part.length
      expect([answer.status, answer.headers.get('upload-offset')]).toEqual([204, String(at)])
    }
    expect(await shown(elsewhere(url))).toMatchObject({ sha256: digest(CONTENT), offset: CONTENT.length })
    const [key, ...others] = server.keys().filter((name) => name.startsWith(`provider/files/${idOf(url)}/`))
    expect(others).toEqual([])
    expect(server.bytesOf(key as string).equals(CONTENT)).toBe(true)
    expect(server.uploads()).toEqual([])
  })

  it('are published, bought and downloaded with ranges, a validator and their digest', async () => {
    const content = CONTENT.subarray(0, 8_600_000)
    const url = await upload(first(), content, auth, { chunkSize: 2_500_000 })
    const asset = await world.publish({ files: [{ type: 'hosted', id: idOf(url) }], publisher })
    const buyer = await world.somebody()
    const txId = await world.order(asset, buyer)
    await eventually(async () => (await ask(`${second()}/api/aquarius/assets/ddo/${asset.did}`)).status === 200)
    const download = async (init: RequestInit = {}) => fetch(await downloadUrl(second(), asset, txId, buyer), init)
    const whole = await download()
    expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true)
    const repr = `sha-256=:${createHash('sha256').update(content).digest('base64')}:`
    expect(whole.headers.get('repr-digest')).toBe(repr)
    const etag = whole.headers.get('etag') as string
    const part = await download({ headers: { range: 'bytes=8388600-8388699', 'if-range': etag } })
    expect([part.status, part.headers.get('repr-digest')]).toEqual([206, repr])
    expect(Buffer.from(await part.arrayBuffer()).equals(content.subarray(8_388_600, 8_388_700))).toBe(true)
    server.fault = ({ what }) => (what === 'get' ? { status: 503, code: 'SlowDown' } : undefined)
    const before = server.asked.length
    expect((await download({ method: 'HEAD' })).headers.get('content-length')).toBe(String(content.length))
    expect((await download({ headers: { 'if-none-match': etag } })).status).toBe(304)
    expect(server.asked.slice(before).filter(({ what }) => what === 'get')).toEqual([])
    const refused = await download()
    expect(refused.status).toBe(502)
    expect(await refused.text()).not.toMatch(/127\.0\.0\.1|provider\/files/)
    server.fault = () => undefined
    expect((await download()).status).toBe(200)
  })

  it('are refused while S3 is away or full, and go on by themselves', async () => {
    const content = CONTENT.subarray(0, 1_000_000)
    const url = await begin(first(), content.length, auth)
    for (const [fault, status, code] of [
      [{ status: 503, code: 'SlowDown' }, 503, 'HOSTING_UNAVAILABLE'],
      [{ status: 507, code: 'XMinioStorageFull' }, 507, 'HOSTING_FULL'],
    ] as const) {
      server.fault = () => fault
      const refused = await tus(url, 'PATCH', { ...auth, 'upload-offset': '0' }, content.subarray(0, 500_000))
      expect([refused.status, refused.json.code]).toEqual([status, code])
    }
    expect((await shown(url)).offset).toBe(0)
    const lines = () => instances[1]?.said.filter(({ msg }) => msg?.includes('the bucket of hosted files failed'))
    await eventually(() => lines()?.some(({ code }) => code === 'XMinioStorageFull'))
    expect(JSON.stringify(lines())).not.toContain(idOf(url))
    const going = upload(first(), content, auth, { uploadUrl: url, retryDelays: Array(100).fill(200) })
    server.fault = () => undefined
    await going
    expect((await shown(url)).sha256).toBe(digest(content))
  })

  it('are checked by doctor, and listed and deleted from the command line', async () => {
    const run = (args: string[], changed: NodeJS.ProcessEnv = {}) => runHere(args, environment(changed))
    const [url, begun] = [await upload(first(), CONTENT.subarray(0, 1000), auth), await begin(first(), PART + 5, auth)]
    await tus(begun, 'PATCH', { ...auth, 'upload-offset': '0' }, CONTENT.subarray(0, PART + 1))
    const well = await run(['doctor', '--files'])
    expect(well.stdout).toMatch(/ok {4}hosted files: \d+ with \d+ bytes in the bucket tides, which can be used/)
    expect(well.stdout).toMatch(/ok {4}hosted files: \d+ are as they were uploaded/)
    expect(server.keys().filter((key) => key.includes('doctor'))).toEqual([])
    const [key] = server.keys().filter((name) => name.includes(idOf(url)))
    writeFileSync(server.pathOf(key as string), Buffer.alloc(1000))
    const altered = await run(['doctor', '--files'])
    expect([altered.status, altered.stdout]).toEqual([
      1,
      expect.stringContaining(`${idOf(url)} of ${publisher.address}: its bytes are not those that were uploaded`),
    ])
    server.fault = ({ what }) => (what === 'delete' ? { status: 403, code: 'AccessDenied' } : undefined)
    expect((await run(['doctor'])).stdout).toContain(
      'FAIL  hosted files: the bucket tides cannot be used: DeleteObject fails with AccessDenied',
    )
    server.fault = () => undefined
    expect((await run(['files', 'list'])).stdout).toContain(idOf(url))
    for (const one of [url, begun]) expect((await run(['files', 'remove', idOf(one)])).status).toBe(0)
    expect(server.keys().filter((name) => name.includes(idOf(url)) || name.includes(idOf(begun)))).toEqual([])
    expect(server.uploads()).toEqual([])
    const wrong = await run(['files', 'remove', idOf(url)], { HOSTING_S3_SECRET_ACCESS_KEY: 'wrong' })
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('HOSTING_S3_BUCKET: tides cannot be used: SignatureDoesNotMatch'),
    ])
    const missing = await run(['files', 'remove', idOf(url)], { HOSTING_S3_SECRET_ACCESS_KEY: '' })
    expect(missing.stderr).toContain('HOSTING_S3_SECRET_ACCESS_KEY: is required with HOSTING=s3.')
  })

  it('need no more than the policy of the page allows, and all of it', () => {
    const [, text] = /```json\n(\{\n {2}"Version"[^`]*)```/.exec(readFileSync(HOSTING_PAGE, 'utf8')) ?? []
    const { Statement } = JSON.parse(text as string) as { Statement: { Action: string[]; Resource: string }[] }
    const allowed = new Map(Statement.flatMap(({ Action, Resource }) => Action.map((action) => [action, Resource])))
    const used = new Set(server.asked.map(({ action }) => action))
    expect([...used].sort()).toEqual([...allowed.keys()].sort())
    for (const { action, key, query } of server.asked) {
      expect(allowed.get(action), action).toBe(key === '' ? 'arn:aws:s3:::BUCKET' : 'arn:aws:s3:::BUCKET/PREFIX/*')
      expect(key === '' ? query.get('prefix') : key).toMatch(/^provider\/files\//)
    }
  })

  it('do not keep a service from starting while S3 is away, and do with a bucket that refuses it', async () => {
    const server = await startBucket()
    const state = { STATE_DIR: join(folder, 'alone') }
    const settings = world.beside({ ...server.settings, ...state, HOSTING_PUBLISHERS: '*' })
    try {
      server.fault = () => ({ status: 503, code: 'SlowDown' })
      const instance = await startInstance(settings)
      expect(instance.lines.join()).toContain('the hosted files cannot be reached')
      await instance.end()
      server.fault = () => ({ status: 403, code: 'AccessDenied' })
      await expect(startHere(settings)).rejects.toThrow('tides cannot be used: AccessDenied')
    } finally {
      await server.close()
    }
  })
})
