import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { chooseAccount } from '../../../../scripts/screenshots/steps.js'
import { NO_TROUBLE, type Observed, observedPage, sharedBrowser } from '../../../../test/helpers/browser.js'
import { type Dev, startDevHere } from '../../../../test/helpers/dev.js'
import { eventually } from '../../../../test/helpers/eventually.js'

const NAME = 'Heights of the tide, by the hour'
const CONTENT = 'hour,height\n0,4.2\n'.repeat(5_000)
const SHA256 = createHash('sha256').update(CONTENT).digest('hex')

let dev: Dev
let browser: Browser
let observed: Observed
let page: Page
let did: string
let link: string
beforeAll(async () => {
  ;[dev, browser] = await Promise.all([startDevHere(), sharedBrowser()])
  const origins = [dev.facts.providerUrl, dev.facts.rpcUrl].map((url) => new URL(url).origin)
  // newly revoked assets are refused, and new ones are on the chain before they are indexed
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

const visit = (path: string) => page.goto(`${dev.facts.providerUrl}/console/${path}`)
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })

async function use(account: number): Promise<void> {
  await button(/^Wallet 0x/).click()
  await page
    .getByRole('dialog')
    .getByText(/ ETH, [\d,.]+ OCEAN/)
    .waitFor()
  await chooseAccount(page, account)
  await page.keyboard.press('Escape')
}

async function drop(name: string, content: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([name, content]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([content as string], name as string, { type: 'text/csv' }))
      return transfer
    },
    [name, content],
  )
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer })
}

describe('the whole tour with the built-in wallet', () => {
  it('publishes a dropped file', async () => {
    await visit('publish')
    await button('Connect wallet').first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Built-in wallet' }).click()
    await drop('heights.csv', CONTENT)
    await page.locator('.file[data-status=done]').waitFor()
    expect(await page.locator('.file').textContent()).toContain(SHA256)
    await button('Continue').click()
    await page.getByLabel('Name').fill(NAME)
    await page.getByLabel('Tags').fill('tide,csv,')
    await button('Continue').click()
    await page.getByLabel('Paid').check()
    await page.getByLabel('Amount').fill('2.5')
    await button('Continue').click()
    await button('Publish').click()
    await page.getByRole('heading', { name: 'Published' }).waitFor()
    did = (await page.locator('[data-did]').getAttribute('data-did')) ?? ''
    expect(did).toMatch(/^did:op:[0-9a-f]{64}$/)
  })

  it('finds it as another account, by the beginning of a word', async () => {
    // the index is behind the chain
    await eventually(async () => (await fetch(`${dev.facts.providerUrl}/api/aquarius/assets/ddo/${did}`)).ok)
    await use(2)
    await page.getByRole('link', { name: 'Catalogue' }).click()
    await page.getByRole('link', { name: NAME }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: NAME }).count()).toBe(1)
    await page.getByRole('searchbox').fill('heights of the ti')
    await page.waitForURL(/\?q=heights\+of\+the\+ti$/)
    await page.getByRole('link', { name: NAME }).click()
    await page.getByRole('heading', { level: 1, name: NAME }).waitFor()
  })

  it('buys it for the total price, and downloads the published bytes', async () => {
    await button('Buy for 2.5025 OCEAN').click()
    await page.getByText('You already have this').waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download').click()])
    expect(download.suggestedFilename()).toBe('heights.csv')
    const bytes = readFileSync(await download.path())
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(SHA256)
    await page.locator('.transfer[data-status=done]').waitFor()
    expect(await page.locator('.transfer').textContent()).toContain('The SHA-256 matches')
  })

  it('has it after a reload, and creates a link that anybody can use', async () => {
    await page.reload()
    await page.getByText('You already have this').waitFor()
    await page.getByText('More ways to download').click()
    await button('Copy link').click()
    link = await page.locator('.made-link input').inputValue()
    const answer = await fetch(link)
    expect(
      createHash('sha256')
        .update(Buffer.from(await answer.arrayBuffer()))
        .digest('hex'),
    ).toBe(SHA256)
  })

  it('shows the publisher the order and its income, and revokes', async () => {
    await use(0)
    await page.getByRole('link', { name: 'Mine' }).click()
    const row = page.locator(`.asset-row[data-did="${did}"]`)
    await row.getByText('2.5 OCEAN').nth(1).waitFor()
    await page.getByRole('img', { name: 'Income over time, in OCEAN: 2.5 OCEAN in total.' }).waitFor()
    await row.getByRole('button', { name: `Revoke: ${NAME}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.getByText('Revoked').waitFor()
  })

  it('then refuses the buyer with a reason, and the link', async () => {
    expect((await fetch(link)).status).toBe(403)
    await use(2)
    await visit(`asset/${did}`)
    await page.getByText('Nobody can order or download it now').first().waitFor()
    expect(await button(/^(Buy|Download)/).count()).toBe(0)
  })

  it('contacted no other server, and violated no policy', () => {
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })
})
