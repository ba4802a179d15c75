import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FileLink } from '@tidegate/client'
import { downloadToFile } from '@tidegate/client/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { CuttingProxy } from './cutting-proxy.js'
import { bytesOf, type Sold, Stage, sha256 } from './stage.js'
import { walletFor } from './world.js'

const CONTENT = randomBytes(3_000_000)
/** Lifetime of a link of this service, in seconds. */
const LIFETIME = 900

let stage: Stage
let proxy: CuttingProxy
let tides: Sold
let requests: string[] = []

beforeAll(async () => {
  stage = await Stage.start({ DOWNLOAD_LINK_LIFETIME: String(LIFETIME) })
  proxy = stage.proxy
  tides = await stage.sold(stage.world.storage.file('/tides.csv', CONTENT))
  proxy.onDownload = (request) => requests.push(request.split('\r\n')[0] as string)
})
afterEach(() => void vi.useRealTimers())
afterAll(() => stage?.close())

const client = (options: Parameters<Stage['client']>[0] = {}) => stage.client(options)
const nobody = () => client({ wallet: undefined })
const make = () => client().link(tides.did, { order: tides.order })
/** Moves the clock of this process, and so of the service in it, to the end of a link. */
const over = ({ expires }: { expires: Date }) =>
  vi.useFakeTimers({ toFake: ['Date'], now: expires.getTime() + 1000, shouldAdvanceTime: true })

describe('a link', () => {
  it('serves the file and its ranges without any proof', async () => {
    const before = Date.now()
    const { url, expires } = await make()
    expect(url.startsWith(`${proxy.url}/api/services/download/link/`)).toBe(true)
    expect(expires.getTime()).toBeGreaterThan(before)
    expect(expires.getTime()).toBeLessThanOrEqual(Date.now() + LIFETIME * 1000)
    const whole = await fetch(url)
    expect(whole.headers.get('content-disposition')).toContain('tides.csv')
    expect(sha256(Buffer.from(await whole.arrayBuffer()))).toBe(sha256(CONTENT))
    const part = await fetch(url, { headers: { range: 'bytes=100-199' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${CONTENT.length}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(CONTENT.subarray(100, 200))).toBe(true)
  })

  it('finds the order, and is refused to an account without one', async () => {
    const { url } = await client().link(tides.did)
    const { ok, body } = await fetch(url, { headers: { range: 'bytes=0-0' } })
    await body?.cancel()
    expect(ok).toBe(true)
    const stranger = client({ wallet: walletFor(stage.world, await stage.world.somebody()) })
    await expect(stranger.link(tides.did)).rejects.toMatchObject({ code: 'NO_ORDER' })
    const refused = stranger.link(tides.did, { order: tides.order })
    await expect(refused).rejects.toMatchObject({ code: 'ORDER_WRONG_CONSUMER', status: 400 })
    await expect(client().link(tides.did, { order: tides.order, file: 7 })).rejects.toMatchObject({ status: 400 })
  })
})

describe('links to several files', () => {
  async function collected(links: AsyncIterable<FileLink>): Promise<FileLink[]> {
    const all: FileLink[] = []
    for await (const link of links) all.push(link)
    return all
  }

  it('are created with one signature, in the order of the files, and end with their token', async () => {
    const wallet = walletFor(stage.world, stage.buyer)
    const sign = vi.spyOn(wallet, 'signMessage')
    const all = client({ wallet })
    const made = await collected(all.links(tides.did, { order: tides.order, files: [0, 0, 0], lifetime: 1200 }))
    expect(made.map(({ file }) => file)).toEqual([0, 0, 0])
    expect(made.every(({ expires }) => expires.getTime() > Date.now() + 1_000_000)).toBe(true)
    expect(sign).toHaveBeenCalledTimes(1)
    const { ok, body } = await fetch(made[2]?.url as string, { headers: { range: 'bytes=0-0' } })
    await body?.cancel()
    expect(ok).toBe(true)
  })

  it('are refused for a file that is not there, or a lifetime that is not granted', async () => {
    const wrong = (files: number[], lifetime = 60) =>
      collected(client().links(tides.did, { order: tides.order, files, lifetime }))
    await expect(wrong([0, 7])).rejects.toMatchObject({ status: 400 })
    await expect(wrong([0], 0.5)).rejects.toMatchObject({ code: 'BAD_OPTION' })
    await expect(wrong([0], 604_801)).rejects.toThrow('604800')
  })
})

describe('a download by link', () => {
  it('needs neither wallet nor token, and signs nothing', async () => {
    requests = []
    const { url: link } = await make()
    const downloaded = await nobody().download(tides.did, { link })
    expect(downloaded).toMatchObject({ name: 'tides.csv', contentType: 'text/csv', size: CONTENT.length })
    expect(sha256(await bytesOf(downloaded))).toBe(sha256(CONTENT))
    const part = await nobody().download(tides.did, { link, range: { start: 2_999_000 } })
    expect((await bytesOf(part)).equals(CONTENT.subarray(2_999_000))).toBe(true)
    expect(requests.every((line) => line.startsWith('GET /api/services/download/link/'))).toBe(true)
  })

  it('resumes by the same link after cuts, also into a file', async () => {
    const { url: link } = await make()
    requests = []
    proxy.cuts = [400_000, 700_000]
    expect(sha256(await bytesOf(await nobody().download(tides.did, { link })))).toBe(sha256(CONTENT))
    expect(requests).toHaveLength(3)
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-client-links-'))
    try {
      proxy.cuts = [400_000]
      const { url: another } = await make()
      const saved = await downloadToFile(nobody().context, tides.did, `${folder}/`, { link: another })
      expect(saved).toMatchObject({ path: join(folder, 'tides.csv'), sha256: sha256(CONTENT) })
      expect(sha256(readFileSync(saved.path))).toBe(sha256(CONTENT))
      expect(existsSync(`${saved.path}.part`)).toBe(false)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('ends with the token of the link', async () => {
    const { token } = await client().createToken()
    const { url: link } = await client({ wallet: undefined, token }).link(tides.did, { order: tides.order })
    proxy.cuts = [400_000]
    const begun = await nobody().download(tides.did, { link })
    await client().deleteToken(token)
    await expect(bytesOf(begun)).rejects.toMatchObject({ code: 'LINK_REVOKED' })
    await expect(nobody().download(tides.did, { link })).rejects.toMatchObject({ code: 'LINK_REVOKED' })
  })

  it('continues with the wallet after the link expires, and ends without one', async () => {
    const made = await make()
    proxy.cuts = [400_000, 400_000]
    const begun = await client().download(tides.did, { order: tides.order, link: made.url })
    const alone = await nobody().download(tides.did, { link: made.url })
    over(made)
    requests = []
    expect(sha256(await bytesOf(begun))).toBe(sha256(CONTENT))
    expect(requests.map((line) => line.replace(/(link\/|\?).*/, '$1'))).toEqual([
      'GET /api/services/download/link/',
      'GET /api/services/download?',
    ])
    await expect(bytesOf(alone)).rejects.toMatchObject({ code: 'LINK_EXPIRED', status: 410 })
  })
})
