import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { type Instance, startInstance } from '../../../../test/helpers/instance.js'
import { ask } from '../../../../test/helpers/requests.js'
import { type S3Bucket, startBucket } from '../../../../test/helpers/s3-bucket.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { idOf, tokenOf, tus, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'

/** More than one part on S3, and one checkpoint of a folder. */
const CONTENT = randomBytes(18_000_000)
const [MAX_FILE, QUOTA] = [18_500_000, 25_000_000]
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const BYTES = { 'content-type': 'application/offset+octet-stream' }

/** The tus extension concatenation, on both backends. */
describe.each(['local', 's3'])('a final upload: %s', (backend) => {
  let world: World
  let server: S3Bucket | undefined
  let service: Awaited<ReturnType<typeof startHere>>
  let environment: Record<string, string>
  let auth: Record<string, string>
  beforeAll(async () => {
    world = await World.start()
    server = backend === 's3' ? await startBucket() : undefined
    const folder = newFolder()
    const limits = { HOSTING_MAX_FILE: String(MAX_FILE), HOSTING_QUOTA: String(QUOTA), HOSTING_PUBLISHERS: '*' }
    const place = server?.settings ?? { HOSTING: 'local', HOSTING_DIR: `${folder}/files` }
    environment = world.beside({ STATE_DIR: `${folder}/state`, ...limits, ...place })
    service = await startHere(environment)
    auth = await tokenOf(service.url, await world.somebody())
  })
  afterAll(async () => {
    await service.end()
    await server?.close()
    await world.close()
  })

  const uploads = () => `${service.url}/api/services/uploads`
  const partial = async (bytes: Uint8Array, size = bytes.length, by = auth) => {
    const headers = { ...by, ...BYTES, 'upload-concat': 'partial', 'upload-length': String(size) }
    const answer = await tus(uploads(), 'POST', headers, bytes)
    expect(answer.status, answer.text).toBe(201)
    return service.url + answer.headers.get('location')
  }
  const join = (urls: string[], more: Record<string, string> = {}, base = service.url) =>
    tus(`${base}/api/services/uploads`, 'POST', { ...auth, 'upload-concat': `final;${urls.join(' ')}`, ...more })
  const shown = async (url: string) => (await ask(url, { headers: auth })).json
  const clear = async () => {
    const { uploads: all } = (await ask(uploads(), { headers: auth })).json as { uploads: { id: string }[] }
    for (const { id } of all)
      await ask(`${uploads()}/${id}`, { method: 'DELETE', headers: { ...auth, 'tus-resumable': '1.0.0' } })
  }

  it('has the bytes of its partial ones in their order, and counts them once', async () => {
    const pieces = [CONTENT.subarray(0, 9_000_000), Buffer.alloc(0), CONTENT.subarray(9_000_000)]
    const urls: string[] = []
    for (const piece of pieces) urls.push(await partial(piece))
    const told = await tus(urls[0] as string, 'HEAD', auth)
    expect(told.headers.get('upload-concat')).toBe('partial')
    expect(await shown(urls[0] as string)).toMatchObject({ object: null })
    const paths = urls.map((url, at) => (at === 0 ? url : new URL(url).pathname))
    const metadata = { 'upload-metadata': 'filename dGlkZXMuY3N2' }
    const answer = await join(paths, metadata)
    expect(answer.status, answer.text).toBe(201)
    const url = service.url + answer.headers.get('location')
    expect(await shown(url)).toMatchObject({ size: CONTENT.length, sha256: sha256(CONTENT), name: 'tides.csv' })
    const { headers } = await tus(url, 'HEAD', auth)
    expect([headers.get('upload-offset'), headers.get('upload-length')]).toEqual(Array(2).fill(String(CONTENT.length)))
    expect(headers.get('upload-concat')).toBe(`final;${urls.map((one) => new URL(one).pathname).join(' ')}`)
    // repeated after a lost response, and used for another file
    expect((await join(paths, metadata)).headers.get('location')).toBe(answer.headers.get('location'))
    expect((await join(paths)).json.code).toBe('UPLOAD_INVALID')
    const patched = await tus(url, 'PATCH', { ...auth, 'upload-offset': String(CONTENT.length) }, Buffer.from('x'))
    expect([patched.status, patched.json.code]).toEqual([403, 'UPLOAD_FINAL'])
    // 18 of 25 MB are used
    const fits = await tus(uploads(), 'POST', { ...auth, 'upload-length': String(QUOTA - CONTENT.length) })
    expect(fits.status).toBe(201)
    expect((await tus(uploads(), 'POST', { ...auth, 'upload-length': '1' })).json.code).toBe('UPLOAD_QUOTA')
    await clear()
    const whole = await tus(uploads(), 'POST', { ...auth, 'upload-length': String(MAX_FILE) })
    expect(whole.status).toBe(201)
    await clear()
  })

  it('refuses partial uploads that are repeated, unfinished, foreign, final, unknown, too many or too large', async () => {
    const stranger = await tokenOf(service.url, await world.somebody())
    const [good, unfinished, foreign] = [
      await partial(Buffer.from('tide')),
      await partial(Buffer.from('ti'), 4),
      await partial(Buffer.from('tide'), 4, stranger),
    ]
    const plain = await tus(uploads(), 'POST', { ...auth, ...BYTES, 'upload-length': '4' }, Buffer.from('tide'))
    const ordinary = service.url + plain.headers.get('location')
    const unknown = `${uploads()}/${'a'.repeat(43)}`
    const many = Array.from({ length: 65 }, () => `/${randomBytes(32).toString('base64url')}`)
    const lists = [[good, good], [good, unfinished], [good, foreign], [good, ordinary], [good, unknown], many, ['']]
    for (const list of [...lists, [good, '../../etc/passwd']]) {
      const refused = await join(list)
      expect([refused.status, refused.json.code], String(list)).toEqual([400, 'UPLOAD_INVALID'])
    }
    for (const wrong of ['partial;', 'final', 'Final;x', 'x']) {
      const headers = { ...auth, 'upload-length': '4', 'upload-concat': wrong }
      expect((await tus(uploads(), 'POST', headers)).status, wrong).toBe(400)
    }
    // none of them has used the good one; of two at once one gets it
    const [one, other] = await Promise.all([join([good], { 'upload-metadata': 'name YQ' }), join([good])])
    expect([one.status, other.status].sort()).toEqual([201, 400])
    const final = service.url + (one.status === 201 ? one : other).headers.get('location')
    expect((await join([final])).json.code).toBe('UPLOAD_INVALID')
    await clear()
    const large = [await partial(CONTENT.subarray(0, 9_300_000)), await partial(CONTENT.subarray(0, 9_300_000))]
    expect((await join(large)).json.code).toBe('UPLOAD_TOO_LARGE')
    await clear()
  })

  it('goes on with the same request after kill -9', async () => {
    const urls = [await partial(CONTENT.subarray(0, 10_000_000)), await partial(CONTENT.subarray(10_000_000))]
    await service.end()
    const killed: Instance = await startInstance(environment)
    const lost = join(urls, {}, killed.url).catch(() => 'lost')
    const list = () => ask(`${killed.url}/api/services/uploads`, { headers: auth })
    await eventually(async () => ((await list()).json.uploads as unknown[]).length === 3)
    await killed.end('SIGKILL')
    await lost
    service = await startHere(environment)
    const again = await join(urls.map((url) => new URL(url).pathname))
    expect(again.status, again.text).toBe(201)
    expect(await shown(service.url + again.headers.get('location'))).toMatchObject({ sha256: sha256(CONTENT) })
    await clear()
  })

  it('serves tus-js-client with parallel uploads', async () => {
    const content = CONTENT.subarray(0, 10_000_000)
    const url = await upload(service.url, content, auth, { parallelUploads: 4, chunkSize: 1_500_000 })
    expect(await shown(url)).toMatchObject({ sha256: sha256(content), name: 'tides.csv', object: { id: idOf(url) } })
  })
})
