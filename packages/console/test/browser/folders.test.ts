import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, NO_TROUBLE, type Observed, observedPage } from '../../../../test/helpers/browser.js'
import { type DevProcess, startDevOnContracts } from '../../../../test/helpers/dev.js'
import { eventually } from '../../../../test/helpers/eventually.js'

let dev: DevProcess
let browser: Browser
let observed: Observed
let page: Page
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  for (const name of ['a', 'b', '.git']) {
    mkdirSync(join(folder, 'tides', name), { recursive: true })
    writeFileSync(join(folder, 'tides', name, 'x.csv'), `of ${name}`)
  }
  ;[dev, browser] = await Promise.all([startDevOnContracts(), launchBrowser()])
  const origins = [dev.facts.providerUrl, dev.facts.rpcUrl].map((url) => new URL(url).origin)
  observed = await observedPage(browser, {
    origins,
    mayFail: /^\/api\/(services\/(fileinfo|initialize)$|aquarius\/assets\/ddo\/)/,
    acceptDownloads: true,
    reducedMotion: 'reduce',
  })
  page = observed.page
  // only ends hanging tests
  page.setDefaultTimeout(120_000)
})
afterAll(async () => {
  await browser?.close()
  await dev?.stop()
  rmSync(folder, { recursive: true })
})

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })

describe('a folder in the console', () => {
  it('is picked, and published under its paths without hidden files', async () => {
    await page.goto(`${dev.facts.providerUrl}/console/publish`)
    await button('Connect wallet').first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Built-in wallet' }).click()
    await page.getByLabel('Choose a folder').setInputFiles(join(folder, 'tides'))
    await page.locator('.file[data-status=done]').nth(1).waitFor()
    const names = await page.locator('.file p:first-child').allTextContents()
    expect(names.filter((name) => name.includes('/'))).toEqual(['tides/a/x.csv', 'tides/b/x.csv'])
    // the same names again
    await page.getByLabel('Choose a folder').setInputFiles(join(folder, 'tides'))
    await page.getByText('two files would have the same name').waitFor()
    expect(await page.locator('.file').count()).toBe(2)
    await button('Continue').click()
    await page.getByLabel('Name').fill('Tides')
    await button('Continue').click()
    await button('Continue').click()
    await button('Publish').click()
    await page.getByRole('heading', { name: 'Published' }).waitFor()
  })

  it('comes back as one archive, by a link', async () => {
    const did = (await page.locator('[data-did]').getAttribute('data-did')) ?? ''
    const { providerUrl } = dev.facts
    await eventually(async () => (await fetch(`${providerUrl}/api/aquarius/assets/ddo/${did}`)).ok)
    await page.goto(`${providerUrl}/console/asset/${did}`)
    await button('Get it for free').click()
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download all').click()])
    expect(download.suggestedFilename()).toMatch(/^asset-\w{8}\.zip$/)
    const files = Object.entries(unzipSync(readFileSync(await download.path())))
    expect(files.map(([path, bytes]) => [path, Buffer.from(bytes).toString()])).toEqual([
      ['tides/a/x.csv', 'of a'],
      ['tides/b/x.csv', 'of b'],
    ])
    expect(await page.getByText('tides/b/x.csv').count()).toBeGreaterThan(0)
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })
})
