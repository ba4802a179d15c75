import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../../../test/helpers/browser.js'
import { ROOT } from '../../../test/helpers/built.js'
import { eventually } from '../../../test/helpers/eventually.js'
import { bytesOf as hostedBytes } from '../../../test/helpers/uploads.js'
import { type Sold, Stage, sha256 } from './stage.js'

const CONTENT = randomBytes(2_000_000)
/** Several parts of an upload. */
const LARGER = randomBytes(9_000_000)

const PAGE =
  "<!doctype html><title>Tides</title><script type=module>import * as app from '/app.js'; window.app = app</script>"

const folder = mkdtempSync(join(tmpdir(), 'tidegate-client-browser-'))
let stage: Stage
let tides: Sold
let browser: Browser
let site: Server

/** The libraries in the page. */
type App = typeof import('@tidegate/client') & typeof import('viem') & typeof import('viem/accounts')

/** Serves the page of another origin: the built library with viem, as modules. */
async function startSite(): Promise<void> {
  execFileSync(process.execPath, ['scripts/build-client.mjs', join(folder, 'dist')], { cwd: ROOT })
  writeFileSync(
    join(folder, 'app.js'),
    "export * from './dist/index.js'; export { createWalletClient, http } from 'viem'; export { privateKeyToAccount } from 'viem/accounts'",
  )
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'app.js')],
    nodePaths: [join(ROOT, 'node_modules')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  })
  site = createServer((request, response) => {
    if (request.url === '/app.js')
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(outputFiles[0]?.contents)
    else if (request.url === '/larger.bin') response.writeHead(200).end(LARGER)
    else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
}

beforeAll(async () => {
  stage = await Stage.start()
  await stage.fund('10')
  tides = await stage.sold(stage.world.storage.file('/tides.csv', CONTENT), { pricing: { fixed: '5' } })
  await startSite()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  site?.close()
  await stage?.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('in a browser, from a page of another origin', () => {
  it('searches, quotes, downloads and resumes a broken transfer', async () => {
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    await page.waitForFunction(() => 'app' in globalThis)
    stage.proxy.cuts = [700_000, 600_000]
    const stranger = await stage.world.somebody()
    const about = {
      url: stage.proxy.url,
      rpcUrl: stage.world.network.rpcUrl,
      key: stage.buyer.privateKey as `0x${string}`,
      stranger: stranger.privateKey as `0x${string}`,
      did: tides.did,
    }
    const seen = await page.evaluate(async ({ url, rpcUrl, key, stranger, did }) => {
      const { createTidegate, createWalletClient, http, privateKeyToAccount } = (globalThis as never as { app: App })
        .app
      const clientOf = (secret: `0x${string}`) =>
        createTidegate({
          url,
          wallet: createWalletClient({ account: privateKeyToAccount(secret), transport: http(rpcUrl) }),
          rpcUrl,
        })
      const { assets } = await clientOf(key).search({ text: 'tide' })
      const { price } = await clientOf(stranger).quote(did)
      const { order = '0x' } = await clientOf(key).quote(did)
      let resumed = 0
      const onProgress = (progress: { resumed: number }) => {
        resumed = progress.resumed
      }
      const { token } = await clientOf(key).createToken()
      const files: string[] = []
      for (const tidegate of [clientOf(key), createTidegate({ url, token })]) {
        const downloaded = await tidegate.download(did, { order, onProgress })
        const bytes = await (await downloaded.blob()).arrayBuffer()
        const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
        files.push(
          `${downloaded.name} ${downloaded.size} ${[...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`,
        )
      }
      const refused = await clientOf(stranger)
        .download(did, { order, service: 'x' })
        .catch((error: { code: string }) => error.code)
      const total = price.total.map(({ amount, symbol }) => `${amount} ${symbol}`)
      return { found: assets.map((asset) => asset.did), total, order, files, resumed, refused }
    }, about)
    const file = `tides.csv ${CONTENT.length} ${sha256(CONTENT)}`
    expect(seen).toMatchObject({
      found: [tides.did],
      order: tides.order,
      files: [file, file],
      refused: 'UNKNOWN_SERVICE',
    })
    expect(seen.total).toEqual([expect.stringMatching(/^5(\.\d+)? OCEAN$/)])
    expect(stage.proxy.cut).toBeGreaterThan(0)
    expect(problems).toEqual([])
  })

  it('uploads a dropped file and resumes after a reload of the page', async () => {
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    const about = {
      url: stage.proxy.url,
      rpcUrl: stage.world.network.rpcUrl,
      key: stage.buyer.privateKey as `0x${string}`,
    }
    /** Opens the page and drops the file on it. The page stores the id of the upload. */
    async function drop(open: () => Promise<unknown>): Promise<void> {
      await open()
      await page.waitForFunction(() => 'app' in globalThis)
      await page.evaluate(async ({ url, rpcUrl, key }) => {
        const { createTidegate, createWalletClient, http, privateKeyToAccount } = (globalThis as never as { app: App })
          .app
        const wallet = createWalletClient({ account: privateKeyToAccount(key), transport: http(rpcUrl) })
        const tidegate = createTidegate({ url, wallet, rpcUrl })
        const seen = { sent: [] as number[], done: undefined as unknown }
        Object.assign(globalThis, { seen })
        document.addEventListener('drop', (event) => {
          const file = event.dataTransfer?.files[0] as File
          const resume = localStorage.getItem('upload')
          const options = {
            ...(resume === null ? {} : { resume }),
            onBegun: (id: string) => localStorage.setItem('upload', id),
            onProgress: ({ sent }: { sent: number }) => seen.sent.push(sent),
          }
          tidegate.upload(file, options).then(
            (hosted) => {
              seen.done = hosted
            },
            (error) => {
              seen.done = { failed: String(error) }
            },
          )
        })
        const dropped = new DataTransfer()
        const bytes = await (await fetch('/larger.bin')).blob()
        dropped.items.add(new File([bytes], 'Höhen.bin', { type: 'application/octet-stream' }))
        document.dispatchEvent(new DragEvent('drop', { dataTransfer: dropped }))
      }, about)
    }
    // from the third part on, nothing arrives until the page is reloaded
    stage.proxy.onPart = () => {
      if (stage.proxy.parts === 3) stage.proxy.uploadCuts = Array(100).fill(1000)
    }
    const { port } = site.address() as AddressInfo
    await drop(() => page.goto(`http://127.0.0.1:${port}/`))
    await eventually(() => stage.proxy.parts >= 3)
    stage.proxy.onPart = () => undefined
    await drop(async () => {
      await page.reload()
      stage.proxy.uploadCuts = []
    })
    await page.waitForFunction(() => (globalThis as never as { seen: { done: unknown } }).seen.done !== undefined)
    const { sent, done } = await page.evaluate(
      () => (globalThis as never as { seen: { sent: number[]; done: { id: string } } }).seen,
    )
    expect(done).toMatchObject({ size: LARGER.length, sha256: sha256(LARGER) })
    expect(sent[0]).toBeGreaterThan(1_000_000)
    expect(stage.proxy.uploads).toBe(1)
    const { hosting, settings } = stage.world.local.app.context
    expect(sha256(hostedBytes(settings.HOSTING_DIR, done.id))).toBe(sha256(LARGER))
    expect(await hosting?.find(done.id)).toMatchObject({ name: 'Höhen.bin', sha256: sha256(LARGER) })
    expect(problems).toEqual([])
  })
})
