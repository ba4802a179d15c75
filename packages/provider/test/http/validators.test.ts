import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { IpfsGateway } from '../../../../test/helpers/ipfs-gateway.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { type Answer, ask, downloadParams, served } from '../../../../test/helpers/requests.js'
import { expectNothingSaid } from '../../../../test/helpers/traces.js'
import { World } from '../../../../test/helpers/world.js'
import { type App, createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'

const CONTENT = randomBytes(400_000)
/** A tag of 63 characters with its quotes, handed out in base64url of 16 + 64 bytes. */
const HANDED_OUT = /^"[\w-]{107}"$/

interface Bought {
  of: Published
  tx: string
}

describe('validators reveal nothing about the storage (threat 40)', () => {
  let world: World
  let ipfs: IpfsGateway
  let buyer: Wallet
  let onIpfs: Bought
  let atUrl: Bought
  let cid: string
  /** The path of the file at the storage, which the storage's own tag contains. */
  const PATH = '/vault-7b1e/ledger/tides-2026.csv'
  let version = 1
  const tagOf = (of = version) => `"${PATH}?v=${of}"`

  beforeAll(async () => {
    ipfs = await IpfsGateway.start()
    world = await World.start({ IPFS_GATEWAY: ipfs.origin })
    buyer = await world.somebody()
    cid = (await ipfs.add(CONTENT)).cid
    onIpfs = await bought({ type: 'ipfs', hash: cid })
    atUrl = await bought(url(PATH, () => tagOf()))
  })

  /** A file on a server that implements conditional requests. `broken` cuts each response off after so many bytes. */
  function url(path: string, tag: () => string, broken = Number.POSITIVE_INFINITY): object {
    const answer = ({ method, headers }: IncomingMessage, response: ServerResponse) => {
      const described = { etag: tag(), 'content-type': 'text/csv', 'accept-ranges': 'bytes' }
      const strong = (text: string) => text.trim().replace('W/', '')
      const named = headers['if-none-match']?.split(',').map(strong)
      if (named?.includes('*') || named?.includes(strong(tag()))) return void response.writeHead(304, described).end()
      const same = headers['if-range'] === undefined || headers['if-range'] === tag()
      const [, first, last] = (same && /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '')) || []
      const [start, end] = [Number(first ?? 0), Math.min(Number(last || CONTENT.length), CONTENT.length - 1)]
      if (start >= CONTENT.length)
        return void response.writeHead(416, { ...described, 'content-range': `bytes */${CONTENT.length}` }).end()
      const part = first === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${CONTENT.length}` }
      response.writeHead(first === undefined ? 200 : 206, { ...described, ...part, 'content-length': end - start + 1 })
      if (method === 'HEAD') return void response.end()
      if (end - start < broken) return void response.end(CONTENT.subarray(start, end + 1))
      response.write(CONTENT.subarray(start, start + broken), () => response.destroy())
    }
    return { type: 'url', url: world.storage.on(path, answer), method: 'GET' }
  }

  async function bought(...files: object[]): Promise<Bought> {
    const of = await world.publish({ files })
    return { of, tx: await world.order(of, buyer) }
  }

  async function download(
    { of, tx }: Bought,
    headers: Record<string, string> = {},
    { base = world.network.providerUrl, method = 'GET', fileIndex = '0' } = {},
  ): Promise<Answer> {
    const params = await downloadParams(of, tx, buyer, { fileIndex })
    return ask(`${base}/api/services/download?${params}`, { method, headers })
  }

  const etagOf = async (file: Bought, to: Parameters<typeof download>[2] = {}) =>
    (await download(file, {}, { method: 'HEAD', ...to })).headers.get('etag') as string
  const lastAsked = (path = PATH) => world.storage.seen(path).at(-1)?.headers as IncomingMessage['headers']

  it.each([
    ['a CID', () => onIpfs, () => cid],
    ['a path that a server gives as its tag', () => atUrl, () => PATH],
  ])('%s: no header of any answer reveals it', async (_name, of, secret) => {
    const file = of()
    const whole = await download(file)
    const etag = whole.headers.get('etag') as string
    const answers = [
      whole,
      await download(file, {}, { method: 'HEAD' }),
      await download(file, { range: 'bytes=5-14' }),
      await download(file, { range: 'bytes=999999-' }),
      await download(file, { 'if-none-match': etag }),
      await download(file, { 'if-none-match': `"${secret()}"` }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 206, 416, 304, 200])
    for (const answer of answers) expect(answer.headers.get('etag')).toBe(etag)
    expect(etag).toMatch(/^"[\w-]{64,107}"$/)
    expectNothingSaid(secret(), answers)
  })

  it('also for filecoin', async () => {
    const file = await bought({ type: 'filecoin', cid })
    const answer = await download(file)
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, expect.stringMatching(HANDED_OUT)])
    expectNothingSaid(cid, [answer])
    expect((await download(file, { 'if-none-match': answer.headers.get('etag') as string })).status).toBe(304)
  })

  it("a condition is sent to the storage with the storage's own tag, for a strong or weak tag or a list", async () => {
    const etag = await etagOf(atUrl)
    for (const condition of [etag, `W/${etag}`, ` "one", W/"two" ,${etag},${etag}`])
      for (const method of ['GET', 'HEAD']) {
        const { status, text } = await download(atUrl, { 'if-none-match': condition }, { method })
        expect([status, text, lastAsked()['if-none-match']]).toEqual([304, '', tagOf()])
      }
    expect((await download(atUrl, { 'if-none-match': '*' })).status).toBe(304)
    expect(lastAsked()['if-none-match']).toBe('*')
    const ones = await etagOf(onIpfs)
    const before = ipfs.requests
    for (const condition of [ones, `W/${ones}`, `"one", ${ones}`, '*'])
      expect((await download(onIpfs, { 'if-none-match': condition })).status).toBe(304)
    expect(ipfs.requests).toBe(before)
  })

  it('a tag that was not issued for this file matches nothing, and is not sent to the storage', async () => {
    const etag = await etagOf(atUrl)
    const swapped = etag.replace(/^"./, etag.startsWith('"A') ? '"B' : '"A')
    const guesses = [
      tagOf(),
      `W/${tagOf()}`,
      '"one", "two"',
      await etagOf(onIpfs),
      swapped,
      etag.slice(1, -1),
      `${etag} x`,
    ]
    const since = 'Sat, 21 Nov 2099 07:28:00 GMT'
    for (const guess of guesses) {
      expect((await download(atUrl, { 'if-none-match': guess, 'if-modified-since': since })).status, guess).toBe(200)
      expect(lastAsked()).not.toHaveProperty('if-none-match')
      // If-Modified-Since is ignored beside tags
      expect(lastAsked()).not.toHaveProperty('if-modified-since')
      expect((await download(atUrl, { range: 'bytes=0-0', 'if-range': guess })).status, guess).toBe(200)
      expect(lastAsked()).not.toHaveProperty('range')
      expect(lastAsked()).not.toHaveProperty('if-range')
    }
    expect((await download(onIpfs, { 'if-none-match': `"${cid}"` })).status).toBe(200)
    expect((await download(onIpfs, { range: 'bytes=0-0', 'if-range': `"${cid}"` })).status).toBe(200)
  })

  it('If-Range returns a range while the file is unchanged, and the whole file afterwards', async () => {
    for (const file of [atUrl, onIpfs]) {
      const part = await download(file, { range: 'bytes=0-0', 'if-range': await etagOf(file) })
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 0-0/${CONTENT.length}`])
    }
    const etag = await etagOf(atUrl)
    const conditional = async () => {
      const params = await downloadParams(atUrl.of, atUrl.tx, buyer)
      const headers = { range: 'bytes=100000-', 'if-range': etag }
      const response = await fetch(`${world.network.providerUrl}/api/services/download?${params}`, { headers })
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
    }
    const rest = await conditional()
    expect([rest.status, rest.bytes.equals(CONTENT.subarray(100_000))]).toEqual([206, true])
    expect(lastAsked()['if-range']).toBe(tagOf())
    version += 1
    const whole = await conditional()
    expect([whole.status, whole.bytes.equals(CONTENT)]).toEqual([200, true])
    expect(lastAsked()).toMatchObject({ 'if-range': tagOf(1), range: 'bytes=100000-' })
    expect((await download(atUrl, { 'if-none-match': etag })).status).toBe(200)
    expect(await etagOf(atUrl)).not.toBe(etag)
  })

  it('If-Range with a date is sent to the storage unchanged', async () => {
    for (const time of [
      'Sat, 21 Nov 2026 07:28:00 GMT',
      'Saturday, 21-Nov-26 07:28:00 GMT',
      'Sat Nov  1 07:28:00 2026',
    ]) {
      await download(atUrl, { range: 'bytes=0-0', 'if-range': time })
      expect(lastAsked()).toMatchObject({ 'if-range': time, range: 'bytes=0-0' })
    }
    await download(atUrl, { 'if-modified-since': 'Sat, 21 Nov 2026 07:28:00 GMT' })
    expect(lastAsked()['if-modified-since']).toBe('Sat, 21 Nov 2026 07:28:00 GMT')
  })

  it('weak tags remain weak: they match in If-None-Match, not in If-Range', async () => {
    const file = await bought(url('/weak', () => 'W/"/vault"'))
    const etag = await etagOf(file)
    expect(etag).toMatch(/^W\/"[\w-]+"$/)
    for (const condition of [etag, etag.slice(2)]) {
      expect((await download(file, { 'if-none-match': condition })).status).toBe(304)
      expect(lastAsked('/weak')['if-none-match']).toBe('W/"/vault"')
      expect((await download(file, { range: 'bytes=0-0', 'if-range': condition })).status).toBe(200)
    }
  })

  it('a malformed or over-long tag is omitted, and the file is served', async () => {
    const tags = [PATH, `"${PATH}`, `"a ${PATH}"`, `"a" "${PATH}"`, `w/"${PATH}"`, `"${'x'.repeat(511)}"`]
    for (const [at, tag] of tags.entries()) {
      const answer = await download(await bought(url(`/bad-${at}`, () => tag)))
      expect([answer.status, answer.headers.get('etag')], tag).toEqual([200, null])
      expectNothingSaid(PATH, [answer])
    }
    const longest = await bought(url('/longest', () => `"${'x'.repeat(510)}"`))
    expect((await download(longest, { 'if-none-match': await etagOf(longest) })).status).toBe(304)
  })

  it('the same file in another asset, or at another index, has an unrelated tag', async () => {
    const same = { type: 'ipfs', hash: cid }
    const own = await bought(same, same)
    const tags = [await etagOf(onIpfs), await etagOf(own), await etagOf(own, { fileIndex: '1' })]
    expect(new Set(tags).size).toBe(3)
    for (const tag of tags.slice(1)) expect((await download(onIpfs, { 'if-none-match': tag })).status).toBe(200)
    expect((await download(own, { 'if-none-match': tags[1] as string })).status).toBe(304)
    expect((await download(own, { 'if-none-match': tags[1] as string }, { fileIndex: '1' })).status).toBe(200)
  })

  it('malformed, long or repeated lists of tags match nothing, and are not an error', async () => {
    const etag = await etagOf(atUrl)
    const lists = [
      `${etag},`.repeat(11),
      `${'"a",'.repeat(3000)}${etag}`,
      `${' '.repeat(1)}"${'a'.repeat(9000)}", ${etag}`,
      `${etag}${' ,'.repeat(5000)}x`,
      `${etag} ${etag}`,
      `"a, ${etag}`,
      '"',
      ',',
      'W/',
      `*, ${etag}`,
    ]
    for (const list of lists) {
      expect((await download(atUrl, { 'if-none-match': list })).status, list.slice(0, 80)).toBe(200)
      expect((await download(atUrl, { range: 'bytes=0-0', 'if-range': list })).status, list.slice(0, 80)).toBe(200)
    }
    expect((await download(atUrl, { 'if-none-match': `${'"a",'.repeat(9)}${etag}` })).status).toBe(304)
  })

  it("a broken transfer is resumed with the storage's own tag", async () => {
    const file = await bought(url('/breaking', () => '"/vault"', 150_000))
    const params = await downloadParams(file.of, file.tx, buyer)
    const response = await fetch(`${world.network.providerUrl}/api/services/download?${params}`)
    expect(Buffer.from(await response.arrayBuffer()).equals(CONTENT)).toBe(true)
    expect(world.storage.seen('/breaking').map(({ headers }) => [headers.range, headers['if-range']])).toEqual([
      [undefined, undefined],
      ['bytes=150000-399999', '"/vault"'],
      ['bytes=300000-399999', '"/vault"'],
    ])
    expect(response.headers.get('etag')).not.toContain('vault')
  })

  it('every instance issues and accepts the same tags, after a restart and after a key rotation', async () => {
    const folder = newFolder()
    const started = async (changed: NodeJS.ProcessEnv): Promise<{ app: App; base: string }> => {
      const settings = { IPFS_GATEWAY: ipfs.origin, STATE_DIR: folder, ...changed }
      const app = await createApp(loadSettings(world.beside(settings)))
      const base = await app.listen()
      await served(base, atUrl.of)
      return { app, base }
    }
    const [one, two] = [await etagOf(onIpfs), await etagOf(atUrl)]
    for (const _run of ['beside', 'restarted']) {
      const { app, base } = await started({})
      expect([await etagOf(onIpfs, { base }), await etagOf(atUrl, { base })]).toEqual([one, two])
      expect((await download(onIpfs, { 'if-none-match': one }, { base })).status).toBe(304)
      expect((await download(atUrl, { range: 'bytes=0-0', 'if-range': two }, { base })).status).toBe(206)
      await app.close()
    }
    const { app, base } = await started({
      PROVIDER_PRIVATE_KEY: `0x${'22'.repeat(32)}`,
      PREVIOUS_PRIVATE_KEYS: `0x${'33'.repeat(32)}, ${world.network.accounts[8]?.privateKey}`,
    })
    const fresh = await etagOf(atUrl, { base })
    expect(fresh).not.toBe(two)
    for (const tag of [two, fresh]) expect((await download(atUrl, { 'if-none-match': tag }, { base })).status).toBe(304)
    expect((await download(atUrl, { 'if-none-match': fresh })).status).toBe(200)
    await app.close()
  })
})
