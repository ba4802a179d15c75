import { request } from 'node:http'
import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { createLink, grantOf, withGrant } from '../../../../test/helpers/links.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadParams, downloadUrl, freshNonce, signText } from '../../../../test/helpers/requests.js'
import type { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { World } from '../../../../test/helpers/world.js'
import { PROVIDER_LIMITS } from '../../src/limits.js'

const CONTENT = Buffer.from('hour,height\n00:00,3.1\n')

describe('download links', () => {
  let world: World
  let proxy: RpcProxy
  let base: string
  let publisher: Wallet
  let asset: Published
  let buyer: Wallet
  let txId: string

  beforeAll(async () => {
    ;({ world, proxy } = await World.behindProxy({ MAX_DOWNLOADS_PER_ADDRESS: '2' }))
    base = world.network.providerUrl
    publisher = await world.somebody()
    ;({ asset, buyer, txId } = await world.sold(world.storage.file('/data/tides.csv', CONTENT), { publisher }))
  })

  const link = (changed: Record<string, unknown> = {}, headers = {}) =>
    createLink(base, asset, txId, buyer, changed, headers)
  const codeOf = async (url: string) => {
    const { status, json } = await ask(url)
    return [status, json.code]
  }

  it('are listed in the root document', async () => {
    const { serviceEndpoints } = (await ask(base)).json as { serviceEndpoints: Record<string, unknown> }
    expect(serviceEndpoints.downloadLink).toEqual(['POST', '/api/services/download/link'])
    expect(serviceEndpoints.download).toEqual(['GET', '/api/services/download'])
  })

  it('give the file to GET, HEAD and ranges, any number of times, without a nonce', async () => {
    const { status, url, expires, headers } = await link()
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(Math.abs(expires - (Date.now() / 1000 + 3600))).toBeLessThan(60)
    expect(url).toMatch(`${base}/api/services/download/link/`)
    expect(url.length).toBeLessThan(500)
    for (const secret of [asset.did.slice(7), buyer.address.slice(2), txId.slice(2), 'tide-access'])
      for (const form of [url, Buffer.from(grantOf(url), 'base64url').toString('hex')])
        expect(form.toLowerCase()).not.toContain(secret.toLowerCase())
    const used = await ask(`${base}/api/services/nonce?userAddress=${buyer.address}`)
    const [one, two] = await Promise.all([ask(url), ask(url)])
    expect([one.status, one.text, two.text]).toEqual([200, CONTENT.toString(), CONTENT.toString()])
    expect(Object.fromEntries(one.headers)).toMatchObject({
      ...{ 'content-type': 'text/csv', 'content-disposition': 'attachment;filename=tides.csv' },
      ...{ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' },
      'accept-ranges': 'bytes',
    })
    const head = await ask(url, { method: 'HEAD' })
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', String(CONTENT.length)])
    const etag = one.headers.get('etag') as string
    const part = await ask(url, { headers: { range: 'bytes=5-10', 'if-range': etag } })
    expect([part.status, part.text]).toEqual([206, 'height'])
    expect((await ask(url, { headers: { range: 'bytes=5-10', 'if-range': '"other"' } })).status).toBe(200)
    expect((await ask(url, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await ask(url, { headers: { range: 'bytes=1000-' } })).json.code).toBe('RANGE_NOT_SATISFIABLE')
    expect((await ask(`${base}/api/services/nonce?userAddress=${buyer.address}`)).json).toEqual(used.json)
    // the validator is that of an ordinary download, so that either may take the other up again
    const signed = await ask(await downloadUrl(base, asset, txId, buyer))
    expect(signed.headers.get('etag')).toBe(etag)
  })

  it('end with the name of the file, which any other, or none, may replace', async () => {
    const { url } = await link()
    expect(url.endsWith('/tides.csv')).toBe(true)
    expect((await ask(url.replace(/tides.csv$/, 'any%20name.csv'))).text).toBe(CONTENT.toString())
    for (const bare of ['', '/']) expect((await ask(url.replace(/\/tides.csv$/, bare))).text).toBe(CONTENT.toString())
  })

  it('end with a generic name if the storage tells none', async () => {
    const broken = await world.publishUrl(`${world.storage.origin}/gone`, { publisher })
    const order = await world.order(broken, buyer)
    expect((await createLink(base, broken, order, buyer, {}, {})).url).toMatch(/\/file-0$/)
    const odd = world.storage.on('/odd', (_request, response) =>
      response
        .writeHead(200, { 'content-disposition': `attachment; filename*=UTF-8''a%2F..%2Ftide%20%C3%A9%3F.csv` })
        .end('x'),
    )
    const named = await world.publishUrl(odd, { publisher })
    const { url } = await createLink(base, named, await world.order(named, buyer), buyer, {}, {})
    expect(url).toMatch(/\/tide%20%C3%A9%3F\.csv$/)
    expect((await ask(url)).text).toBe('x')
  })

  it('need no call to the chain, once asset and order are known', async () => {
    const { url } = await link()
    await ask(url)
    proxy.forget()
    expect((await ask(url)).status).toBe(200)
    expect(proxy.calls.filter((call) => /eth_call|Receipt|eth_getTransaction/.test(call))).toEqual([])
  })

  it('are not made of the signature of a download, as a log has it of HEAD (threat 96)', async () => {
    for (const text of [asset.did, 'download']) {
      const nonce = freshNonce()
      const signed = text === 'download' ? buyer.address + nonce + text : text + nonce
      const params = await downloadParams(asset, txId, buyer, { nonce, signature: await signText(buyer, signed) })
      const { signature } = Object.fromEntries(params)
      const url = `${base}/api/services/download?${params}`
      expect((await ask(url, { method: 'HEAD' })).status).toBe(200)
      const { status, json } = await link({ nonce, signature })
      expect([status, Object.keys(json.errors as object)]).toEqual([400, ['signature']])
      expect((await ask(url)).text).toBe(CONTENT.toString())
    }
    const nonce = freshNonce()
    const signature = await signText(buyer, `${buyer.address}${nonce}downloadLink`)
    const params = await downloadParams(asset, txId, buyer, { nonce, signature })
    expect((await ask(`${base}/api/services/download?${params}`)).json.errors).toHaveProperty('signature')
    expect((await link({ nonce, signature })).status).toBe(201)
  })

  it('are created once by a signature, and use its nonce up', async () => {
    const nonce = freshNonce()
    const signature = await signText(buyer, `${buyer.address}${nonce}downloadLink`)
    expect((await link({ nonce, signature })).status).toBe(201)
    const again = await link({ nonce, signature })
    expect([again.status, Object.keys(again.json.errors as object)]).toEqual([400, ['nonce']])
    const other = freshNonce()
    const wrong = await signText(buyer, `${buyer.address}${other}createAuthToken`)
    expect((await link({ nonce: other, signature: wrong })).json.errors).toHaveProperty('signature')
  })

  it.each([
    [{ documentId: undefined }, 'documentId'],
    [{ serviceId: ['a'] }, 'serviceId'],
    [{ transferTxId: '0x12' }, 'transferTxId'],
    [{ fileIndex: -1 }, 'fileIndex'],
    [{ fileIndex: 1.5 }, 'fileIndex'],
    [{ consumerAddress: 'me' }, 'consumerAddress'],
    [{ signature: undefined }, 'signature'],
    [{ signature: {} }, 'signature'],
    [{ userdata: 'x' }, 'userdata'],
    [{ userdata: { note: 'x'.repeat(PROVIDER_LIMITS.links.userdata) } }, 'userdata'],
  ])('are refused for %j', async (changed, field) => {
    const { status, json } = await link(changed)
    expect([status, Object.keys((json.errors ?? {}) as object)]).toEqual([400, [field]])
  })

  it('are refused for a file, an order or a consumer that is not right, and use no nonce up then', async () => {
    const nonce = freshNonce()
    const refused = await link({ nonce, fileIndex: 3 })
    expect(refused).toMatchObject({ status: 400, json: { error: 'No such fileIndex 3', code: 'NO_SUCH_FILE' } })
    expect((await link({ nonce, transferTxId: asset.txId })).json.code).toBe('ORDER_NO_EVENT')
    expect((await link({ nonce })).status).toBe(201)
    const stranger = await world.somebody()
    expect((await createLink(base, asset, txId, stranger)).json.code).toBe('ORDER_WRONG_CONSUMER')
  })

  it('begin with the host that was asked, and with no other text', async () => {
    const nonce = freshNonce()
    const signature = await signText(buyer, `${buyer.address}${nonce}downloadLink`)
    const params = Object.fromEntries(await downloadParams(asset, txId, buyer, { nonce, signature }))
    const asked = (host: string) =>
      new Promise<{ url?: string; errors?: object }>((resolve, reject) => {
        const headers = { host, 'content-type': 'application/json' }
        const { hostname, port } = new URL(base)
        request(
          { host: hostname, port, path: '/api/services/download/link', method: 'POST', headers },
          async (answer) => resolve(JSON.parse((await answer.toArray()).join(''))),
        )
          .on('error', reject)
          .end(JSON.stringify(params))
      })
    for (const host of ['evil.example/x?', 'a@b', 'a b', '"><script>', 'a:99999999'])
      expect(Object.keys((await asked(host)).errors ?? {}), host).toEqual(['Host'])
    const { url } = await asked('data.example.org:8443')
    expect(url).toMatch('http://data.example.org:8443/api/services/download/link/')
  })

  it('that were changed, cut, made up or made by another provider are not valid', async () => {
    const { url } = await link()
    const grant = grantOf(url)
    const flipped = Buffer.from(grant, 'base64url')
    for (const at of [0, 20, flipped.length - 1]) {
      flipped[at] = (flipped[at] as number) ^ 1
      expect(await codeOf(withGrant(url, flipped.toString('base64url')))).toEqual([403, 'LINK_INVALID'])
      flipped[at] = (flipped[at] as number) ^ 1
    }
    const foreign = 'A'.repeat(grant.length)
    for (const made of [
      grant.slice(0, -4),
      `${grant}AAAA`,
      `${grant}=`,
      foreign,
      'x',
      '%00',
      '..%2f..%2fetc',
      '%F0%9F',
    ])
      expect((await ask(withGrant(url, made))).status, made).toBeGreaterThanOrEqual(400)
    expect(await codeOf(withGrant(url, foreign))).toEqual([403, 'LINK_INVALID'])
    expect((await ask(withGrant(url, 'A'.repeat(PROVIDER_LIMITS.links.grant + 1)))).status).toBeLessThan(500)
    const refused = await ask(withGrant(url, foreign))
    expect(refused.headers.get('referrer-policy')).toBe('no-referrer')
    expect(refused.json.error).toBe('The download link is not valid: it is incomplete or was changed.')
    expect((await ask(url, { method: 'POST' })).status).toBe(405)
    expect((await ask(url)).status).toBe(200)
  })

  it('are one delivery for all ranges of an hour', async () => {
    const sold = await world.sold(world.storage.file('/ranges.csv', CONTENT), { publisher })
    const { url } = await createLink(base, sold.asset, sold.txId, sold.buyer)
    for (const range of ['bytes=0-4', 'bytes=5-10', 'bytes=5-10', 'bytes=0-', 'bytes=90-'])
      await ask(url, { headers: { range } })
    await ask(url, { method: 'HEAD' })
    const delivered = async () => {
      const { deliveries } = world.local.app.context.store
      for await (const total of deliveries.totals({ since: 0, until: Date.now() + 60_000, by: 'asset' }))
        if (total.key === sold.asset.did && 'bytes' in total) return total
      return undefined
    }
    await eventually(async () => (await delivered())?.bytes === BigInt(5 + 6 + 6 + CONTENT.length))
    expect(await delivered()).toMatchObject({ deliveries: 1n, complete: 1n, orders: 1n })
    await ask(url)
    await eventually(async () => (await delivered())?.deliveries === 2n)
  })

  it('carry userdata, which is checked as for a download', async () => {
    const of = await world.publishUrl(world.storage.file('/daily.csv', CONTENT))
    const made = await createLink(base, of, await world.order(of, buyer), buyer, { userdata: { day: '2026-01-01' } })
    expect((await ask(made.url)).status).toBe(200)
    expect(world.storage.seen('/daily.csv').at(-1)?.url).toBe('/daily.csv?day=2026-01-01')
  })

  it('count against the downloads in flight', async () => {
    const held: (() => void)[] = []
    const slow = world.storage.on('/slow.csv', (_request, response) => {
      response.writeHead(200, { 'content-length': 4 }).write('ti')
      held.push(() => void response.end('de'))
    })
    const of = await world.publishUrl(slow)
    const { url } = await createLink(base, of, await world.order(of, buyer), buyer)
    const first = [await fetch(url), await fetch(url)]
    const refused = await ask(url)
    expect([refused.status, refused.json.code, refused.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '1'])
    for (const release of held) release()
    expect(await Promise.all(first.map((response) => response.text()))).toEqual(['tide', 'tide'])
  })
})
