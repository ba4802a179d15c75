import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, askJson } from '../../../../test/helpers/requests.js'
import { type S3Bucket, startBucket } from '../../../../test/helpers/s3-bucket.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { begin, idOf, tokenOf, tus, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'
import { HOSTING_LIMITS } from '../../../hosting/src/limits.js'

const CONTENT = randomBytes(1_000_000)
const LIFETIME = 600
const MOST = HOSTING_LIMITS.hosting.publicFile

describe.each(['disk', 'S3'])('public files on %s', (where) => {
  let world: World
  let server: S3Bucket | undefined
  let base: string
  let auth: Record<string, string>
  beforeAll(async () => {
    server = where === 'S3' ? await startBucket() : undefined
    const settings = { ...server?.settings, HOSTING_UNPUBLISHED_LIFETIME: String(LIFETIME), HOSTING_PUBLISHERS: '*' }
    world = await World.start(settings)
    base = world.network.providerUrl
    auth = await tokenOf(base, await world.somebody())
  })
  afterAll(() => server?.close())

  const publish = (filename: string, filetype = 'text/markdown', content = CONTENT) =>
    upload(base, content, auth, { metadata: { filename, filetype, public: '' } })
  const shown = async (url: string) => (await ask(url, { headers: auth })).json
  const publicUrl = async (url: string) => (await shown(url)).publicUrl as string
  const statusOf = async (url: string) => (await ask(url, { headers: auth })).status
  const path = (id: string) => `${base}/api/services/public/${id}`
  const encrypt = (body: object) =>
    ask(`${base}/api/services/encrypt?chainId=${world.network.chainId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: JSON.stringify(body),
    })

  it('are read by anybody, from any page, under their name or none, with ranges and their digest', async () => {
    const uploaded = await publish('Höhe 100%.md')
    const id = idOf(uploaded)
    const url = `${path(id)}/H%C3%B6he%20100%25.md`
    expect(await shown(uploaded)).toMatchObject({ publicUrl: url, sha256: expect.any(String) })
    expect(await shown(uploaded)).not.toHaveProperty('object')
    const { uploads } = (await ask(`${base}/api/services/uploads`, { headers: auth })).json as { uploads: object[] }
    expect(uploads).toContainEqual(expect.objectContaining({ id, publicUrl: url }))
    for (const one of [url, path(id)]) {
      const answer = await fetch(one, { headers: { origin: 'https://other.example' } })
      expect(Buffer.from(await answer.arrayBuffer()).equals(CONTENT)).toBe(true)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        ...{ 'content-type': 'text/markdown', 'content-length': String(CONTENT.length), 'accept-ranges': 'bytes' },
        'repr-digest': `sha-256=:${createHash('sha256').update(CONTENT).digest('base64')}:`,
        'content-disposition': expect.stringContaining("filename*=UTF-8''H%C3%B6he%20100%25.md"),
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=600',
      })
    }
    const head = await ask(url, { method: 'HEAD' })
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', String(CONTENT.length)])
    const etag = head.headers.get('etag') as string
    const part = await fetch(url, { headers: { range: 'bytes=5-10', 'if-range': etag } })
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, CONTENT.subarray(5, 11)])
    const same = await ask(url, { headers: { 'if-none-match': etag } })
    expect([same.status, same.headers.get('cache-control')]).toEqual([304, 'public, max-age=600'])
    const beyond = await ask(url, { headers: { range: `bytes=${CONTENT.length}-` } })
    expect([beyond.status, beyond.headers.get('cache-control')]).toEqual([416, 'no-store'])
    for (const wrong of [`${path(id)}/other.md`, `${path(id)}/h%C3%B6he%20100%25.md`, `${url}/more`])
      expect(await statusOf(wrong), wrong).toBe(404)
    for (const one of [url, path(id)]) expect((await ask(one, { method: 'POST' })).status, one).toBe(405)
    const nameless = await upload(base, CONTENT, auth, { metadata: { public: '' } })
    expect(await publicUrl(nameless)).toBe(`${path(idOf(nameless))}/file-0`)
    expect((await ask(uploaded, { method: 'DELETE', headers: auth })).status).toBe(204)
    expect(await statusOf(url)).toBe(404)
  })

  it('run nothing in a browser, and leave no folder (threat 107)', async () => {
    for (const [type, served] of [
      ['text/html', 'application/octet-stream'],
      ['image/svg+xml', 'application/octet-stream'],
      ['application/pdf', 'application/pdf'],
    ] as const) {
      const url = await publicUrl(await publish('../../x.html', type, Buffer.from('<script>alert(1)</script>')))
      expect(new URL(url).pathname).toMatch(/^\/api\/services\/public\/[\w-]{43}\/x\.html$/)
      expect(Object.fromEntries((await ask(url)).headers)).toMatchObject({
        ...{ 'content-type': served, 'x-content-type-options': 'nosniff' },
        'content-disposition': 'attachment;filename=x.html',
        'content-security-policy': "sandbox; default-src 'none'",
      })
    }
  })

  it('are never sold, and private ones never public (threat 107)', async () => {
    const id = idOf(await publish('terms.md'))
    const files = [{ type: 'hosted', id }]
    const own = { nftAddress: `0x${'11'.repeat(20)}`, datatokenAddress: `0x${'22'.repeat(20)}` }
    expect(await encrypt({ ...own, files })).toMatchObject({
      status: 400,
      json: { errors: { files: [`The hosted file ${id} is public: anybody reads it, so it cannot be sold.`] } },
    })
    const described = await askJson(`${base}/api/services/fileinfo`, files)
    expect(described.json).toMatchObject([{ valid: false, reason: 'not_found' }])
    const metadata = { filename: 'secret.csv' }
    const partial = await tus(
      `${base}/api/services/uploads`,
      'POST',
      {
        ...{ ...auth, 'upload-length': '4', 'upload-concat': 'partial', 'upload-metadata': 'public' },
        'content-type': 'application/offset+octet-stream',
      },
      Buffer.from('tide'),
    )
    const refusals = []
    for (const secret of [
      'A'.repeat(43),
      idOf(await upload(base, CONTENT, auth, { metadata })),
      idOf(await upload(base, CONTENT, auth, { metadata: { ...metadata, public: 'true' } })),
      idOf(await begin(base, 10, { ...auth, 'upload-metadata': 'public' })),
      idOf(partial.headers.get('location') as string),
      '..%2f..%2fetc',
    ])
      for (const url of [path(secret), `${path(secret)}/secret.csv`]) {
        const { status, text, headers } = await ask(url)
        const others = ['date', 'x-request-id'].includes.bind(['date', 'x-request-id'])
        refusals.push([status, text, ...[...headers].filter(([name]) => !others(name))])
      }
    expect(refusals[0]?.[0]).toBe(404)
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0])
  })

  it('have at most 5 MiB, however they are uploaded', async () => {
    const create = (headers: Record<string, string>) =>
      tus(`${base}/api/services/uploads`, 'POST', { ...auth, ...headers })
    const open = { 'upload-metadata': 'public' }
    const refused = {
      status: 413,
      json: { code: 'UPLOAD_TOO_LARGE', error: `A public file may have at most ${MOST} bytes.` },
    }
    expect(await create({ ...open, 'upload-length': String(MOST + 1) })).toMatchObject(refused)
    expect((await create({ ...open, 'upload-length': String(MOST) })).status).toBe(201)
    const deferred = base + (await create({ ...open, 'upload-defer-length': '1' })).headers.get('location')
    const patch = (headers: object, body: Buffer) =>
      tus(deferred, 'PATCH', { ...auth, 'upload-offset': '0', ...headers }, body)
    expect(await patch({ 'upload-length': String(MOST + 1) }, Buffer.alloc(1))).toMatchObject(refused)
    expect((await patch({}, Buffer.alloc(MOST + 1))).json.code).toBe('UPLOAD_TOO_LARGE')
    const parts = await Promise.all(
      [MOST, 1].map(async (size) => {
        const type = { 'content-type': 'application/offset+octet-stream' }
        const headers = { ...auth, ...type, 'upload-concat': 'partial', 'upload-length': String(size) }
        return (await tus(`${base}/api/services/uploads`, 'POST', headers, Buffer.alloc(size))).headers.get('location')
      }),
    )
    expect(await create({ ...open, 'upload-concat': `final;${parts.join(' ')}` })).toMatchObject(refused)
  })

  it('stay while a published document names them, whatever strangers encrypt', async () => {
    const [one, two, unnamed] = await Promise.all(['a.md', 'b.md', 'c.md'].map((name) => publish(name)))
    const [first, second] = [await publicUrl(one as string), await publicUrl(two as string)]
    const named = (...urls: string[]) =>
      world.publish({
        files: [{ type: 'url', url: world.storage.file('/x.csv', Buffer.from('x')), method: 'GET' }],
        adjust: (ddo) => Object.assign(ddo.metadata, { additionalInformation: { samples: urls } }),
      })
    const assets: Published[] = [await named(first, second), await named(first)]
    const stranger = { nftAddress: `0x${'11'.repeat(20)}`, text: await publicUrl(unnamed as string) }
    expect((await encrypt(stranger)).status).toBe(201)
    const { uploads } = (await ask(`${base}/api/services/uploads`, { headers: auth })).json as {
      uploads: { id: string; assets: string[] }[]
    }
    const usesOf = (url: string) => uploads.find(({ id }) => id === idOf(url))?.assets.toSorted()
    expect(usesOf(one as string)).toEqual(assets.map(({ did }) => did).toSorted())
    expect(usesOf(two as string)).toEqual([assets[0]?.did])
    expect(usesOf(unnamed as string)).toEqual([])
    await world.local.app.context.hosting?.sweeper.sweep(Date.now() + (LIFETIME + 60) * 1000)
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200])
    expect(await statusOf(unnamed as string)).toBe(404)
    expect(await ask(one as string, { method: 'DELETE', headers: auth })).toMatchObject({
      json: { code: 'UPLOAD_IN_USE' },
    })
  })

  it('are used by no document that strangers only encrypt (threat 122)', async () => {
    const names = await Promise.all(['a.md', 'b.md'].map((name) => publish(name)))
    const { hosting, store } = world.local.app.context
    const rows = await Promise.all(names.map((url) => store.hosted.find(idOf(url))))
    const text = (await Promise.all(names.map(publicUrl))).join(' ')
    for (let n = 0; n < 3; n++) {
      const nftAddress = `0x${String(n).repeat(40)}`
      expect((await encrypt({ nftAddress, text })).status).toBe(201)
    }
    const namesOf = (row: (typeof rows)[number]) => (row ? (hosting?.uses.namesOf(row) ?? []) : [])
    expect(rows.flatMap(namesOf)).toHaveLength(2)
    for (const name of rows.flatMap(namesOf)) expect(await store.hosted.uses(name, 10)).toEqual([])
    expect(await Promise.all(names.map((url) => store.hosted.find(idOf(url))))).toEqual(rows)
  })

  it.each(['public', 'private'])('stay in use if %s ones have invented uses (threat 122)', async (kind) => {
    const filename = `${kind}.md`
    const metadata = kind === 'public' ? { filename, public: '' } : { filename }
    const url = await upload(base, CONTENT, auth, { metadata })
    const { hosting, store } = world.local.app.context
    const row = await store.hosted.find(idOf(url))
    const [hash] = (row && hosting?.uses.namesOf(row)) ?? []
    const files = [{ id: idOf(url), hash: hash as string }]
    const nft = (at: number) => `0x${at.toString(16).padStart(40, '0')}` as const
    const most = HOSTING_LIMITS.hosting.uses
    for (let at = 0; at < most; at++)
      await store.hosted.recordUses(
        files,
        { chainId: world.network.chainId, nft: nft(at), list: 'x' },
        most,
        Date.now(),
      )
    await world.publish({
      files:
        kind === 'public'
          ? [{ type: 'url', url: world.storage.file('/x.csv', Buffer.from('x')), method: 'GET' }]
          : [{ type: 'hosted', id: idOf(url) }],
      adjust: (ddo) =>
        Object.assign(ddo.metadata, { additionalInformation: kind === 'public' ? { samples: [url] } : {} }),
    })
    const remove = (query: string) => ask(`${url}${query}`, { method: 'DELETE', headers: auth })
    expect(await remove('')).toMatchObject({ status: 409, json: { code: 'UPLOAD_IN_USE' } })
    expect((await remove('?force=true')).status).toBe(204)
  })

  if (where === 'disk')
    it('are limited like other requests without an order, and stay over a restart', async () => {
      const [HOSTING_DIR, STATE_DIR] = [newFolder(), newFolder()]
      const settings = { HOSTING: 'local', HOSTING_PUBLISHERS: '*', HOSTING_DIR, STATE_DIR, ANONYMOUS_BYTES: '1500000' }
      const before = await startHere(world.beside(settings))
      const token = await tokenOf(before.url, await world.somebody())
      const uploaded = await upload(before.url, CONTENT, token, { metadata: { filename: 'a.md', public: '' } })
      await before.end()
      const after = await startHere(world.beside(settings))
      const url = `${after.url}/api/services/public/${idOf(uploaded)}/a.md`
      expect([await statusOf(url), await statusOf(url)]).toEqual([200, 200])
      expect(await ask(url)).toMatchObject({ status: 429, json: { code: 'RATE_LIMITED' } })
      await after.end()
    })
})
