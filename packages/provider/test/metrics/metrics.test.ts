import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { saidTo } from '../../../../test/helpers/raw-consumer.js'
import { ask, askJson, downloadParams, freshNonce } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'

const CONTENT = randomBytes(200_000)
const MISSING_CID = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

describe('metrics', () => {
  const gateway = createServer()
  let world: World
  let asset: Published
  let buyer: Wallet
  let txId: string
  beforeAll(async () => {
    gateway.listen(0, '127.0.0.1')
    await once(gateway, 'listening')
    const { port } = gateway.address() as AddressInfo
    world = await World.start({ METRICS_PORT: '0', IPFS_GATEWAY: `http://127.0.0.1:${port}` })
    ;({ asset, buyer, txId } = await world.sold(world.storage.file('/secret-path.bin', CONTENT)))
  })
  afterAll(() => void gateway.close())

  const scrape = async () => (await ask(`${world.local.app.metricsUrl}/metrics`)).text
  /** The value of a series; undefined if it does not exist yet. */
  async function value(series: string): Promise<number | undefined> {
    const line = (await scrape()).split('\n').find((one) => one.startsWith(`${series} `))
    return line === undefined ? undefined : Number(line.split(' ').at(-1))
  }
  async function download(nonce = freshNonce()) {
    const params = await downloadParams(asset, txId, buyer, { nonce })
    return ask(`${world.network.providerUrl}/api/services/download?${params}`)
  }

  it('are served at a separate address', async () => {
    expect((await ask(`${world.network.providerUrl}/metrics`)).status).toBe(404)
    const { headers, text } = await ask(`${world.local.app.metricsUrl}/metrics`)
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#')))
      expect(line).toMatch(/^[a-z_:0-9]+(\{[^}]*\})? [-+.\deENanIf]+$/)
  })

  it('count requests, downloads, bytes, nonces, upstream requests and node requests', async () => {
    const chain = world.network.chainId
    const node = new URL(world.network.rpcUrl).host
    const route = 'route="/api/services/download"'
    const nonce = freshNonce()
    expect((await download(nonce)).status).toBe(200)
    expect((await download(nonce)).status).toBe(400)
    await eventually(async () => (await value('tidegate_downloads_active')) === 0)
    expect(await value(`tidegate_http_requests_total{method="GET",${route},status="200"}`)).toBe(1)
    expect(await value(`tidegate_http_requests_total{method="GET",${route},status="400"}`)).toBe(1)
    expect(await value('tidegate_downloads_total{type="url",outcome="complete"}')).toBe(1)
    expect(await value('tidegate_download_bytes_total')).toBe(CONTENT.length)
    expect(await value('tidegate_nonce_refusals_total')).toBe(1)
    expect(await value('tidegate_refusals_total{code="VALIDATION"}')).toBeGreaterThan(0)
    expect(await value('tidegate_upstream_requests_total{host="publisher",outcome="ok"}')).toBeGreaterThan(0)
    expect(await value(`tidegate_rpc_requests_total{chain="${chain}",node="${node}",outcome="ok"}`)).toBeGreaterThan(0)
    expect(await value(`tidegate_http_request_duration_seconds_count{${route}}`)).toBe(2)
    expect(await value('tidegate_proofs_waiting')).toBe(0)
    const head = await world.provider.getBlockNumber()
    await eventually(async () => (await value(`tidegate_index_block{chain="${chain}"}`)) === head)
    expect(await value(`tidegate_index_lag{chain="${chain}"}`)).toBe(0)
    expect(await value('tidegate_process_cpu_seconds_total')).toBeGreaterThan(0)
  })

  it('have as many series whatever strangers send', async () => {
    const seriesOf = (text: string) =>
      text.split('\n').filter((line) => /^tidegate_(http|refusals|downloads)/.test(line))
    const { host } = new URL(world.network.providerUrl)
    const send = async (round: string) => {
      for (const method of ['GET', 'PROPFIND', 'QUERY', 'BREW', `X${round}`])
        for (const path of [
          `/${round}`,
          `/api/services/${round}`,
          `/asset/did:op:${round}`,
          `/api/services/download?x=${round}`,
        ])
          await saidTo(
            world.network.providerUrl,
            `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nuser-agent: ${round}\r\nconnection: close\r\n\r\n`,
          )
      await fetch(`${world.network.providerUrl}/api/services/fileinfo`, { method: 'POST', body: round })
      await askJson(`${world.network.providerUrl}/api/services/fileinfo`, { type: round, url: round })
    }
    await send('first')
    const before = seriesOf(await scrape()).length
    for (let round = 0; round < 20; round++) await send(`stranger${round}`)
    expect(seriesOf(await scrape()).length).toBe(before)
    expect(await scrape()).not.toMatch(/first|stranger/)
  })

  it('count a broken transfer as broken', async () => {
    const broken = world.storage.on('/broken', (_request, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('x'.repeat(500), () => response.destroy())
    })
    const other = await world.publishUrl(broken)
    const params = await downloadParams(other, await world.order(other, buyer), buyer)
    await ask(`${world.network.providerUrl}/api/services/download?${params}`).catch(() => undefined)
    await eventually(async () => (await value('tidegate_downloads_total{type="url",outcome="broken"}')) === 1)
  })

  it("count requests to gateways separately from those to publishers' hosts, and any 5xx as failed", async () => {
    const failed = async (host: string) =>
      (await value(`tidegate_upstream_requests_total{host="${host}",outcome="failed"}`)) ?? 0
    const fileinfo = (file: object) => askJson(`${world.network.providerUrl}/api/services/fileinfo`, file)
    const broken = world.storage.on('/down', (_request, response) => void response.writeHead(503).end())
    const [before, publishers] = [await failed('gateway'), await failed('publisher')]
    // the gateway redirects to another origin, which is down: that counts as the gateway's failure
    gateway.on('request', (_request, response) => void response.writeHead(302, { location: broken }).end())
    expect((await fileinfo({ type: 'ipfs', hash: MISSING_CID })).json).toMatchObject([{ valid: false }])
    expect(await failed('gateway')).toBeGreaterThan(before)
    expect(await failed('publisher')).toBe(publishers)
    await fileinfo({ type: 'url', url: broken, method: 'GET' })
    expect(await failed('publisher')).toBeGreaterThan(publishers)
  })

  it('reveal neither file locations nor consumers (threat 16)', async () => {
    const text = (await scrape()).toLowerCase()
    for (const secret of ['secret-path', asset.did, buyer.address, world.storage.origin, txId, 'signature'])
      expect(text).not.toContain(secret.toLowerCase())
  })
})
