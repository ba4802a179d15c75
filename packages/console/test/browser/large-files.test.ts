import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createTidegate } from '@tidegate/client'
import type { Browser, Page } from 'playwright-core'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { remember } from '../../../../scripts/screenshots/steps.js'
import { BIG_FILES, type BigFiles, MIB } from '../../../../test/helpers/big-files.js'
import { launchBrowser, type Observed, observedPage, sharedBrowser } from '../../../../test/helpers/browser.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { type Dev, startDevHere } from '../../../../test/helpers/dev.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { rendererPeak } from '../../../../test/helpers/peak-memory.js'
import { sized } from '../../../../test/helpers/sizes.js'

/** Sizes in MiB; those of `npm run test:large` take minutes. */
const DOWNLOADED = sized(96, 2048)
const UPLOADED = sized(16, 1024)
/** Most MiB of a tab at its peak: between an ordinary run and one that holds the whole file. */
const MOST = sized(200, 300)

const folder = newFolder()
let dev: Dev
let browser: Browser
let backEnd: BigFiles
let observed: Observed
let page: Page
beforeAll(async () => {
  backEnd = await (BIG_FILES.url as () => Promise<BigFiles>)()
  dev = await startDevHere([], backEnd.settings)
})
afterAll(async () => {
  await dev?.stop()
  backEnd?.door.close()
  await backEnd?.close()
})

async function fresh() {
  const origins = [dev.facts.providerUrl, dev.facts.rpcUrl].map((url) => new URL(url).origin)
  observed = await observedPage(browser, { origins, reducedMotion: 'reduce', acceptDownloads: true })
  page = observed.page
  page.setDefaultTimeout(600_000)
}

const button = (name: string) => page.getByRole('button', { name, exact: true }).first()

/** Returns the library with an account of the local network. */
function clientOf(account: number) {
  const { providerUrl: url, rpcUrl, accounts } = dev.facts
  const key = privateKeyToAccount(accounts[account]?.privateKey as `0x${string}`)
  return createTidegate({ url, wallet: createWalletClient({ account: key, transport: http(rpcUrl) }) })
}

async function published(files: object[] | File, name: string): Promise<string> {
  const publisher = clientOf(0)
  const objects = Array.isArray(files) ? files : [(await publisher.upload(files)).object]
  const { did } = await publisher.publish({ files: objects as never, name, price: 'free' })
  await eventually(() => publisher.asset(did).then(Boolean, () => false))
  return did
}

/** Visits a page with the wallet of an account that an earlier visit has connected. */
async function visitAs(account: number, path: string): Promise<void> {
  await page.goto(`${dev.facts.providerUrl}/live`)
  await remember(page, dev.facts.accounts[account]?.address)
  await page.goto(`${dev.facts.providerUrl}/console/${path}`)
}

async function got(did: string): Promise<void> {
  await visitAs(2, `asset/${did}`)
  await button('Get it for free').click()
  await page.getByText('You already have this').waitFor()
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: MIB }), hash)
  return hash.digest('hex')
}

describe('large files in Chromium', () => {
  // for each memory measurement another one, whose tabs are fresh
  beforeEach(async () => {
    browser = await launchBrowser()
    await fresh()
  })
  afterEach(() => browser.close())

  it(`${DOWNLOADED} MiB by a link: the tab needs less than ${MOST} MiB`, { timeout: 1_800_000 }, async () => {
    const did = await published([await backEnd.file(DOWNLOADED)], 'Large')
    await got(did)
    await page.getByText('More ways to download').click()
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download with the browser').click()])
    const saved = await download.path()
    const expected = createHash('sha256')
    for (let mebibyte = 0; mebibyte < DOWNLOADED; mebibyte++) expected.update(backEnd.mebibyte)
    expect(await sha256Of(saved)).toBe(expected.digest('hex'))
    const peak = await rendererPeak(browser)
    console.log(`${DOWNLOADED} MiB by a link: the tab took ${peak.toFixed(0)} MiB at its peak`)
    expect(peak).toBeLessThan(MOST)
  })

  it(`${UPLOADED} MiB uploaded: after a reload in the middle it goes on where it was`, {
    timeout: 1_800_000,
  }, async () => {
    const path = join(folder, 'large.bin')
    const mebibyte = randomBytes(MIB)
    for (let at = 0; at < UPLOADED; at++) await appendFile(path, mebibyte)
    await visitAs(3, 'publish')
    const offsets: number[] = []
    // half of it arrives, then nothing until the page is reloaded. The route stays: removing it may lose a running request
    const half = (UPLOADED * MIB) / 2
    let reloaded = false
    await page.route('**/api/services/uploads/*', async (one) => {
      const offset = Number(one.request().headers()['upload-offset'] ?? -1)
      if (reloaded || one.request().method() !== 'PATCH') return one.continue()
      offsets.push(offset)
      if (offset < half) await one.continue()
    })
    await page.locator('.drop input[type=file]').setInputFiles(path)
    await eventually(() => (offsets.at(-1) ?? 0) >= half, 600_000)
    reloaded = true
    await page.reload()
    await page.locator('.file[data-status=needs-file]').waitFor()
    const again: number[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') again.push(Number(request.headers()['upload-offset']))
    })
    await page.locator('.drop input[type=file]').setInputFiles(path)
    await page.locator('.file[data-status=done]').waitFor()
    expect(again[0]).toBe(offsets.at(-1))
    expect(await page.locator('.file').textContent()).toContain(await sha256Of(path))
    const peak = await rendererPeak(browser)
    console.log(`${UPLOADED} MiB uploaded: the tab took ${peak.toFixed(0)} MiB at its peak`)
  })
})

/** Replaces the browser's file dialog with handles of its own file system. */
function pickFromOwn(): void {
  const picking = globalThis as { showSaveFilePicker?: (options: { suggestedName: string }) => Promise<unknown> }
  picking.showSaveFilePicker = async ({ suggestedName }) => {
    const own = await navigator.storage.getDirectory()
    return own.getFileHandle(suggestedName, { create: true })
  }
}

const savedText = (name: string) =>
  page.evaluate(async (name) => {
    const own = await navigator.storage.getDirectory()
    return (await (await own.getFileHandle(name)).getFile()).text()
  }, name)

describe('a download to a chosen file', () => {
  const CONTENT = 'hour,height\n0,4.2\n'.repeat(20_000)
  let did: string
  beforeAll(async () => {
    did = await published(new File([CONTENT], 'heights.csv', { type: 'text/csv' }), 'To a file')
    await clientOf(2).buy(did)
  })
  afterEach(() => observed.context.close())
  beforeEach(async () => {
    browser = await sharedBrowser()
    await fresh()
    await observed.context.addInitScript(pickFromOwn)
    // a file of unknown size goes to a file
    await page.route('**/api/services/fileinfo', async (one) => {
      const files = (await (await one.fetch()).json()) as object[]
      await one.fulfill({ json: files.map((file) => ({ ...file, contentLength: undefined })) })
    })
  })

  it("is compared with the provider's SHA-256", async () => {
    await visitAs(2, `asset/${did}`)
    await button('Download').click()
    await page.locator('.transfer[data-status=done]').waitFor()
    expect(await page.locator('.transfer').textContent()).toContain('The SHA-256 matches')
    const digest = createHash('sha256').update(CONTENT).digest('hex')
    expect(await page.locator('.transfer .mono').getAttribute('title')).toBe(digest)
    expect(await savedText('heights.csv')).toBe(CONTENT)
  })

  it('is not saved if it differs', async () => {
    await visitAs(2, `asset/${did}`)
    await page.route('**/api/services/download?*', async (one) => {
      const response = await one.fetch()
      const body = Buffer.from(await response.body())
      body[body.length >> 1] = (body[body.length >> 1] as number) ^ 1
      await one.fulfill({ response, body })
    })
    await button('Download').click()
    await page.locator('.transfer[data-status=failed]').waitFor()
    expect(await page.locator('.transfer').textContent()).toContain('it was not saved')
    expect(await savedText('heights.csv')).toBe('')
  })
})
