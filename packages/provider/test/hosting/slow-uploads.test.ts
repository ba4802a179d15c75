import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { SlowPart } from '../../../../test/helpers/slow-part.js'
import { begin, bytesOf, idOf, pathOf, tokenOf, tus, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'
import { PROVIDER_LIMITS } from '../../src/limits.js'

const CONTENT = randomBytes(2_000_000)

describe('slow uploads', () => {
  let world: World
  let base: string
  let folder: string
  let publisher: Wallet
  let auth: Record<string, string>
  const { http } = PROVIDER_LIMITS as { http: { requestTimeout: number } }
  const { requestTimeout } = http

  beforeAll(async () => {
    world = await World.start({
      ...{ HOSTING_STALL_TIMEOUT: '3000', HOSTING_MAX_UPLOADS: '6', HOSTING_MAX_UPLOADS_PER_PUBLISHER: '4' },
    })
    base = world.network.providerUrl
    folder = world.local.app.context.settings.HOSTING_DIR
    publisher = await world.somebody()
    auth = await tokenOf(base, publisher)
    http.requestTimeout = 300
  })
  afterAll(() => void Object.assign(http, { requestTimeout }))

  const lying = (url: string) => (existsSync(pathOf(folder, idOf(url))) ? bytesOf(folder, idOf(url)).length : -1)

  it('may take longer than any other request as long as their bytes arrive', async () => {
    const url = await begin(base, CONTENT.length, auth)
    const part = new SlowPart(url, auth, CONTENT.length)
    const began = performance.now()
    for (let at = 0; at < CONTENT.length; at += 200_000) {
      part.write(CONTENT.subarray(at, at + 200_000))
      await eventually(() => lying(url) >= at + 200_000)
      // well beyond the limit of other requests
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await eventually(() => part.answer)
    expect(performance.now() - began).toBeGreaterThan(2 * http.requestTimeout)
    expect(part.answer?.status).toBe(204)
    expect(bytesOf(folder, idOf(url)).equals(CONTENT)).toBe(true)
  })

  it.each([
    ['stop', 0],
    ['drip', 1],
  ])('that %s are cut; what has arrived of them is kept', async (_name, bytes) => {
    const url = await begin(base, CONTENT.length, auth)
    const part = new SlowPart(url, auth, CONTENT.length)
    part.write(CONTENT.subarray(0, 500_000))
    const drip = setInterval(() => part.write(Buffer.alloc(bytes, 'x')), 50)
    await eventually(() => part.isCut)
    clearInterval(drip)
    const offset = async () => Number((await ask(url, { headers: auth })).json.offset)
    await eventually(async () => (await offset()) > 0)
    expect(await offset()).toBeGreaterThanOrEqual(500_000)
    expect(await offset()).toBeLessThan(600_000)
  })

  it('of a stranger get no more time than other requests', async () => {
    const part = new SlowPart(`${base}/api/services/uploads/${'A'.repeat(43)}`, {}, CONTENT.length)
    await eventually(() => part.answer || part.isCut)
    expect(part.answer?.status).toBe(400)
    part.end()
  })

  it('hold a few slots of one publisher, and of all: further parts are refused before they are read', async () => {
    const others = await tokenOf(base, await world.somebody())
    const start = async (as: Record<string, string>, count: number) => {
      const urls = await Promise.all(Array.from({ length: count }, () => begin(base, 100_000, as)))
      return urls.map((url) => new SlowPart(url, as, 100_000))
    }
    const feed = (parts: SlowPart[]) => {
      for (const part of parts) part.write(Buffer.alloc(1000))
    }
    const { uploadsActive } = world.local.app.context.metrics
    const active = async () => (await uploadsActive.get()).values[0]?.value
    await eventually(async () => (await active()) === 0)
    const held = await start(auth, 4)
    feed(held)
    await eventually(async () => (await active()) === 4)

    const more = await begin(base, 100_000, auth)
    const refused = new SlowPart(more, auth, 100_000)
    await eventually(() => refused.answer)
    expect(refused.answer).toMatchObject({ status: 429, retryAfter: '1' })
    expect(JSON.parse(refused.answer?.body as string)).toMatchObject({
      code: 'RATE_LIMITED',
      error: expect.stringContaining('This publisher has too many uploads in flight'),
    })
    expect((await tus(more, 'HEAD', auth)).status).toBe(429)
    const withBytes = { ...auth, 'upload-length': '4', 'content-type': 'application/offset+octet-stream' }
    expect((await tus(`${base}/api/services/uploads`, 'POST', withBytes, Buffer.from('tide'))).status).toBe(429)
    const final = { ...auth, 'upload-concat': `final;${more}` }
    expect((await tus(`${base}/api/services/uploads`, 'POST', final)).status).toBe(429)
    // a refused request can be repeated: its nonce is not used up
    const nonce = freshNonce()
    const { address } = publisher
    const proof = { address, nonce, signature: await signText(publisher, `${address}${nonce}upload`) }
    const small = await begin(base, 4, auth)
    const patch = () => tus(small, 'PATCH', { ...proof, 'upload-offset': '0' }, Buffer.from('tide'))
    expect((await patch()).status).toBe(429)

    const theirs = await start(others, 2)
    feed(theirs)
    await eventually(async () => (await active()) === 6)
    const third = await tokenOf(base, await world.somebody())
    const busy = await tus(
      await begin(base, 4, third),
      'PATCH',
      { ...third, 'upload-offset': '0' },
      Buffer.from('tide'),
    )
    expect([busy.status, busy.json.code, busy.headers.get('retry-after')]).toEqual([503, 'BUSY', '1'])

    for (const part of [...held, ...theirs]) part.end()
    await eventually(async () => (await active()) === 0)
    expect((await patch()).status).toBe(204)
    await upload(base, CONTENT, auth)
  })
})
