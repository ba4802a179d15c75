import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../../test/helpers/backends.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { startInstance } from '../../../../test/helpers/instance.js'
import { publish } from '../../../../test/helpers/publish.js'
import { ask, served } from '../../../../test/helpers/requests.js'
import { begin, idOf, tokenOf, tus, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'

const ROUTE = '/api/services/uploads/:id'

/** Ids of hosted files are secrets like every location, and names belong to their publisher. */
describe('ids and names of hosted files', () => {
  let world: World
  const folder = newFolder()
  beforeAll(async () => {
    world = await World.start()
  })

  it.each(['info', 'debug'])('reach no log at level %s, no metric and no error', async (level) => {
    const metricsPort = String(await freePort())
    const environment = {
      ...{ STATE_DIR: join(folder, level), HOSTING_DIR: join(folder, `files-${level}`), METRICS_PORT: metricsPort },
      ...{ HOSTING: 'local', HOSTING_PUBLISHERS: '*', HOSTING_MAX_FILE: '3000000' },
    }
    const service = await startInstance(world.beside(environment), undefined, { keepRequests: true, level })
    const publisher = await world.somebody()
    const [auth, stranger] = [await tokenOf(service.url, publisher), await tokenOf(service.url, await world.somebody())]
    const uploads = `${service.url}/api/services/uploads`
    const [name, key, content] = [`verraten-${randomUUID()}.csv`, randomUUID(), randomBytes(2_000_000)]
    const errors: string[] = []
    const fails = async (answer: ReturnType<typeof ask>, status: number) => {
      const { status: answered, text, headers } = await answer
      expect(answered).toBe(status)
      errors.push(text, JSON.stringify([...headers]))
    }

    const metadata = { filename: name, filetype: 'text/csv' }
    const url = await upload(service.url, content, { ...auth, 'idempotency-key': key }, { metadata })
    const other = await begin(service.url, 1000, auth)
    const [id, second] = [idOf(url), idOf(other)]
    const part = (headers: Record<string, string>, body = Buffer.from('tide')) =>
      tus(other, 'PATCH', { ...auth, 'upload-offset': '0', ...headers }, body)
    await fails(part({ 'upload-offset': '7' }), 409)
    await fails(part({ 'upload-checksum': `sha1 ${Buffer.alloc(20).toString('base64')}` }), 460)
    await fails(part({ 'upload-checksum': `sha1 ${id}` }), 400)
    await fails(part({}, Buffer.alloc(1001)), 413)
    await fails(part({ 'tus-resumable': '0.2.2' }), 412)
    await fails(part({ 'content-type': 'text/plain' }), 415)
    await fails(tus(other, 'PATCH', { ...stranger, 'upload-offset': '0' }), 404)
    for (const method of ['GET', 'DELETE', 'HEAD']) await fails(tus(url, method, stranger), 404)
    await fails(ask(url), 400)
    await fails(ask(`${url}?chainId=x`, { headers: auth }), 400)
    await fails(ask(`${url}/${id}`, { headers: auth }), 404)
    await fails(ask(url, { method: 'POST', headers: auth }), 405)
    await fails(ask(`${uploads}?after=${id}&nonce=${id}`, { headers: { nonce: id, signature: id, address: id } }), 400)
    const long = { 'upload-length': '1', 'upload-metadata': `filename ${btoa(name.repeat(90))}` }
    await fails(tus(uploads, 'POST', { ...auth, ...long }), 400)
    await fails(tus(uploads, 'POST', { ...auth, 'upload-length': '1', 'upload-metadata': `${name} !` }), 400)
    await fails(tus(uploads, 'POST', { ...auth, 'upload-length': '3000001', 'idempotency-key': key }), 413)
    const info = (file: object) => ({
      ...{ method: 'POST', body: JSON.stringify(file), headers: { 'content-type': 'application/json' } },
    })
    await fails(ask(`${service.url}/api/services/fileinfo`, info({ type: 'hosted', id: `${id}/` })), 400)

    const network = { ...world.network, providerUrl: service.url }
    const asset = await publish({ network, publisher, files: [{ type: 'hosted', id }] })
    await served(service.url, asset)
    await fails(tus(url, 'DELETE', auth), 409)
    const lines = () => service.requests.filter(({ route }) => route === ROUTE)
    const before = lines().length
    const headers = { ...auth, 'tus-resumable': '1.0.0', 'upload-offset': '0', expect: '100-continue' }
    const type = { 'content-type': 'application/offset+octet-stream' }
    const breakOff = async () => {
      const broken = request(other, { method: 'PATCH', headers: { ...headers, ...type } }).on('error', () => undefined)
      broken.flushHeaders()
      await once(broken, 'continue')
      broken.write(Buffer.alloc(500))
      broken.destroy()
    }
    // the end of a request whose client leaves before it is read is not logged, as it may be on a busy machine
    await eventually(
      async () => {
        if (lines().length > before) return true
        await breakOff()
        return false
      },
      240_000,
      1000,
    )
    expect((await ask(url, { headers: auth })).json).toMatchObject({ id, name })
    expect((await ask(`${url}?force=true`, { method: 'DELETE', headers: auth })).status).toBe(204)

    const measured = (await ask(`http://127.0.0.1:${metricsPort}/metrics`)).text
    expect(measured).toContain('tidegate_refusals_total')
    await service.end()
    expect(lines().length).toBeGreaterThan(10)
    const said = [...service.lines, ...service.requests.map((line) => JSON.stringify(line)), ...errors, measured].join(
      '\n',
    )
    expect(said).toContain(ROUTE)
    const digest = createHash('sha256').update(content).digest('hex')
    for (const secret of [id, second, name, btoa(name), key, digest, auth.AuthToken as string])
      expect(said.includes(secret), secret).toBe(false)
  })
})
