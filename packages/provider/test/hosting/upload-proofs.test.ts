import { randomBytes } from 'node:crypto'
import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { ask, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { begin, bytesOf, idOf, tokenOf, tus, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'

const CONTENT = randomBytes(300_000)

describe('uploads, and who may change them', () => {
  let world: World
  let base: string
  let folder: string
  let publisher: Wallet
  let auth: Record<string, string>

  beforeAll(async () => {
    world = await World.start({ HOSTING_MAX_FILE: '20000000', HOSTING_QUOTA: '60000000' })
    base = world.network.providerUrl
    folder = world.local.app.context.settings.HOSTING_DIR
    publisher = await world.somebody()
    auth = await tokenOf(base, publisher)
  })

  const uploads = () => `${base}/api/services/uploads`

  it('are seen by their owner alone: files of others, deleted and invented ones answer alike', async () => {
    const stranger = await tokenOf(base, await world.somebody())
    const url = await upload(base, CONTENT, auth)
    const deleted = await begin(base, 5, stranger)
    expect((await ask(deleted, { method: 'DELETE', headers: stranger })).status).toBe(204)
    const invented = `${uploads()}/${'A'.repeat(43)}`
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const answers = await Promise.all(
        [url, deleted, invented, `${uploads()}/..%2f..%2fetc%2fpasswd`].map((one) =>
          tus(one, method, { ...stranger, 'upload-offset': '0' }),
        ),
      )
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
        new Set(['404 {"error":"There is no such file.","code":"UPLOAD_NOT_FOUND"}']),
      )
    }
    for (const one of [url, deleted, invented]) expect((await tus(one, 'HEAD', stranger)).status).toBe(404)
    expect((await ask(uploads(), { headers: stranger })).json).toEqual({ uploads: [] })
    expect((await ask(url)).status).toBe(400)
    expect((await ask(url, { headers: auth })).status).toBe(200)
    expect((await ask(url, { method: 'DELETE', headers: auth })).status).toBe(204)
    expect(() => bytesOf(folder, idOf(url))).toThrow('ENOENT')
  })

  it('are proven by a signature as well, as parameters or headers, with its nonce', async () => {
    const somebody = await world.somebody()
    const signed = async (command = 'upload') => {
      const nonce = freshNonce()
      const signature = await signText(somebody, somebody.address + nonce + command)
      return { address: somebody.address, nonce, signature }
    }
    const create = (headers: Record<string, string>, query = '') =>
      tus(`${uploads()}${query}`, 'POST', { 'upload-length': '4', ...headers })
    const proof = await signed()
    const { status, headers } = await create(proof)
    expect(status).toBe(201)
    expect(Object.keys((await create(proof)).json.errors as object)).toEqual(['nonce'])
    expect((await create(await signed('download'))).json.errors).toHaveProperty('signature')
    expect((await create({}, `?${new URLSearchParams(await signed())}`)).status).toBe(201)
    const url = base + headers.get('location')
    expect((await tus(url, 'HEAD', await signed('listUploads'))).status).toBe(200)
    expect((await tus(url, 'PATCH', { ...(await signed()), 'upload-offset': '0' }, Buffer.from('tide'))).status).toBe(
      204,
    )
    expect((await tus(uploads(), 'POST', { 'upload-length': '4' })).json.errors).toMatchObject({
      signature: [expect.any(String)],
    })
  })

  it('are read by a signature that changes nothing, and changed by one that is used up (threat 91)', async () => {
    const somebody = await world.somebody()
    const proof = async (command: string) => {
      const nonce = freshNonce()
      return {
        address: somebody.address,
        nonce,
        signature: await signText(somebody, somebody.address + nonce + command),
      }
    }
    const answered = async (method: string, url: string, headers: Record<string, string>) => {
      const { status, json } = await tus(url, method, headers, method === 'PATCH' ? Buffer.from('tide') : undefined)
      return status < 300 ? status : Object.keys((json.errors as object) ?? {})
    }
    const begun = async () => begin(base, 4, await proof('upload'))
    const url = await begun()
    const reading = await proof('listUploads')
    const change = { 'upload-offset': '0', 'upload-length': '4' }
    for (const [method, to] of [
      ['GET', uploads()],
      ['GET', url],
      ['HEAD', url],
    ] as const) {
      expect(await answered(method, to, reading), method).toBe(200)
      expect(await answered('DELETE', `${url}?force=true`, reading)).toEqual(['signature'])
      expect(await answered('PATCH', url, { ...change, ...reading })).toEqual(['signature'])
      expect(await answered('POST', uploads(), { ...change, ...reading })).toEqual(['signature'])
    }
    // a signature for changes reads as well, once, and is then good for nothing
    for (const [method, to] of [
      ['GET', uploads()],
      ['GET', url],
      ['HEAD', url],
    ] as const) {
      const changing = await proof('upload')
      expect(await answered(method, to, changing), method).toBe(200)
      expect(await answered('DELETE', `${url}?force=true`, changing), method).toEqual(['nonce'])
    }
    expect(await answered('DELETE', url, await proof('download'))).toEqual(['signature'])
    const deletion = await proof('upload')
    expect(await answered('DELETE', url, deletion)).toBe(204)
    expect(await answered('DELETE', await begun(), deletion)).toEqual(['nonce'])
  })
})
