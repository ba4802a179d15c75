import { readFileSync } from 'node:fs'
import { createTidegate } from '@tidegate/client'
import type { Browser, FileChooser, Locator, Page } from 'playwright-core'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { NO_TROUBLE, type Observed, observedPage, sharedBrowser } from '../../../../test/helpers/browser.js'
import { type Dev, startDevHere } from '../../../../test/helpers/dev.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { Keyboard } from '../../../../test/helpers/keyboard.js'

const SOLD = 'Soundings of the outer harbour'
const FREE = 'Names of the buoys'
const OWN = 'Heights of the tide, by the hour'
const CONTENT = 'x,y,depth\n1,2,7.5\n'

let dev: Dev
let browser: Browser
let observed: Observed
let page: Page
let keys: Keyboard
beforeAll(async () => {
  ;[dev, browser] = await Promise.all([startDevHere(), sharedBrowser()])
  const { providerUrl: url, rpcUrl, accounts } = dev.facts
  const account = privateKeyToAccount(accounts[1]?.privateKey as `0x${string}`)
  const publisher = createTidegate({ url, wallet: createWalletClient({ account, transport: http(rpcUrl) }) })
  const published = async (name: string, price: 'free' | { amount: string }, tags: string[]) => {
    const { object } = await publisher.upload(new File([CONTENT], 'soundings.csv', { type: 'text/csv' }))
    const { did } = await publisher.publish({ files: [object], name, price, tags })
    await eventually(() => publisher.asset(did).then(Boolean, () => false))
  }
  await published(SOLD, { amount: '1.5' }, ['depth', 'csv'])
  await published(FREE, 'free', ['buoys', 'csv'])
  observed = await observedPage(browser, {
    origins: [url, rpcUrl].map((one) => new URL(one).origin),
    // newly revoked assets are refused, and new ones are on the chain before they are indexed
    mayFail: /^\/api\/(services\/(fileinfo|initialize)$|aquarius\/assets\/ddo\/)/,
    reducedMotion: 'reduce',
    acceptDownloads: true,
    // low, so that pages scroll below their header
    viewport: { width: 1280, height: 600 },
  })
  page = observed.page
  page.setDefaultTimeout(120_000)
  keys = new Keyboard(page)
})

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const link = (name: string) => page.getByRole('link', { name, exact: true })
const main = () => page.locator('main')
const press = (key: string) => page.keyboard.press(key)
/** Navigates by the header: the new page takes the focus. */
async function goTo(name: string): Promise<void> {
  await keys.enter(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }), { back: true })
  await keys.expectAt(main())
}

/** For `eventually`: interval between two presses of a key. */
const ONCE_A_SECOND = [240_000, 1_000] as const

/** Returns the file chooser of an input. A busy browser may ignore the first key. */
async function chosenBy(input: Locator): Promise<FileChooser> {
  let chooser: FileChooser | undefined
  page.on('filechooser', (opened) => {
    chooser ??= opened
  })
  await eventually(
    async () => {
      if (chooser) return true
      if (!(await keys.isAt(input))) await keys.to(input)
      await press('Enter')
      return false
    },
    ...ONCE_A_SECOND,
  )
  return chooser as FileChooser
}

describe('the whole tour by keyboard alone', () => {
  it('starts with a link that skips the header, then searches and filters', async () => {
    await page.goto(`${dev.facts.providerUrl}/console/`)
    await link(SOLD).waitFor()
    expect(await keys.tab()).toContain('Skip to content')
    await press('Enter')
    await keys.expectAt(main())
    await keys.tab()
    const search = page.getByRole('searchbox')
    await keys.expectAt(search)
    await page.keyboard.type('sound')
    await page.waitForURL(/\?q=sound$/)
    await link(FREE).waitFor({ state: 'detached' })
    await keys.enter(button('Clear the search'))
    await keys.expectAt(search)
    await link(FREE).waitFor()
    await keys.to(page.getByRole('combobox', { name: 'Sort by' }))
    await press('ArrowDown')
    await page.waitForURL(/sort=oldest/)
    await keys.to(page.getByRole('radio', { name: 'Any' }))
    await press('ArrowDown')
    await page.waitForURL(/price=free/)
    await link(SOLD).waitFor({ state: 'detached' })
    await keys.expectAt(page.getByRole('radio', { name: 'Free' }))
    const tag = button(/^csv/)
    await keys.to(tag)
    await press('Space')
    await page.waitForURL(/tag=csv/)
    await keys.expectAt(tag)
    await keys.enter(button('Reset filters'))
    await link(SOLD).waitFor()
    await eventually(() => page.evaluate(() => document.activeElement?.closest('.filters') !== null))
  })

  it('visits all stops of a page, and no hidden one', async () => {
    const stops = await keys.around()
    expect(stops.length).toBeGreaterThan(15)
    expect(stops.join()).toContain(SOLD)
  })

  it('connects a wallet and changes the account, in dialogs that keep and return the focus', async () => {
    const opener = button('Connect wallet')
    await keys.to(opener, { back: true })
    await keys.looksIntoDialog(opener)
    await press('Enter')
    await keys.enter(page.getByRole('dialog').getByRole('button', { name: 'Built-in wallet' }))
    await keys.dialogGone()
    const menu = button(/^Wallet 0x/)
    await keys.expectAt(menu)
    await keys.looksIntoDialog(menu)
    await press('Enter')
    await keys.to(page.getByLabel('Account 0'))
    await press('ArrowDown')
    await press('ArrowDown')
    await keys.expectAt(page.getByLabel('Account 2'))
    await press('Escape')
    await keys.expectAt(menu)
  })

  it('opens an asset, buys and downloads it: the focus moves to the next step', async () => {
    await keys.enter(link(SOLD))
    await page.getByRole('heading', { level: 1, name: SOLD }).waitFor()
    await keys.expectAt(main())
    await keys.enter(button('Buy for 1.5015 OCEAN'))
    await page.getByText('You already have this').waitFor()
    await keys.expectAt(button('Download'))
    const [download] = await Promise.all([page.waitForEvent('download'), press('Enter')])
    expect(readFileSync(await download.path(), 'utf8')).toBe(CONTENT)
    await page.locator('.transfer[data-status=done]').waitFor()
    await keys.expectAt(button('Download'))
    await keys.enter(page.locator('summary', { hasText: 'More ways to download' }))
    await keys.to(button('Copy link'))
    await press('Space')
    await page.getByLabel('The link').waitFor()
    await keys.expectAt(button('Copy link'))
    expect((await fetch(await page.getByLabel('The link').inputValue())).status).toBe(200)
    await keys.enter(button('Remove from the list'))
    await page.locator('.transfer').waitFor({ state: 'detached' })
    const transactions = button('Show transactions')
    await keys.to(transactions, { back: true })
    await keys.looksIntoDialog(transactions)
    await press('Enter')
    await keys.enter(button('Remove from the list'))
    await press('Escape')
    await keys.dialogGone()
  })

  it('publishes: files, a wrong location, a missing field, tags, price, review', async () => {
    await goTo('Publish')
    const input = page.locator('input[type=file]')
    const chooser = await chosenBy(input)
    const file = (name: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(CONTENT) })
    await chooser.setFiles([file('heights.csv'), file('stations.csv')])
    await page.locator('.file[data-status=done]').nth(1).waitFor()
    const over = button('Start over')
    await keys.to(over, { back: true })
    await keys.looksIntoDialog(over)
    await keys.to(page.getByLabel('Or enter the location of a file'))
    await page.keyboard.type('nowhere')
    await press('Enter')
    await page.getByText('It must begin with https://').waitFor()
    await keys.enter(button('Remove heights.csv'))
    await keys.expectAt(button('Remove stations.csv'))
    await keys.enter(button('Continue'))
    await keys.expectAt(page.getByRole('heading', { level: 2, name: 'Description' }))
    await keys.enter(button('Continue'))
    await keys.expectAt(page.getByLabel('Name'))
    await page.keyboard.type(OWN)
    const tags = page.getByLabel('Tags')
    await keys.to(tags)
    for (const tag of ['tide', 'water']) {
      await page.keyboard.type(tag)
      await press('Enter')
    }
    await keys.enter(button('Remove the tag water'), { back: true })
    await button('Remove the tag water').waitFor({ state: 'detached' })
    await eventually(() => page.evaluate(() => document.activeElement?.closest('.tag-input') !== null))
    await keys.enter(button('Continue'))
    await keys.expectAt(page.getByRole('heading', { level: 2, name: 'Price and access' }))
    await keys.to(page.getByRole('radio', { name: 'Free' }))
    await press('ArrowRight')
    await keys.to(page.getByLabel('Amount'))
    await page.keyboard.type('2.5')
    await keys.enter(button('Continue'))
    await keys.enter(button('Edit: Price of one order'))
    await keys.expectAt(page.getByRole('heading', { level: 2, name: 'Price and access' }))
    await keys.enter(button('Continue'))
    await keys.enter(button('Publish'))
    await keys.expectAt(page.getByRole('heading', { level: 1, name: 'Published' }))
  })

  it('finds it among its own, edits it, revokes it and restores it', async () => {
    await keys.enter(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Mine' }), {
      back: true,
    })
    await keys.expectAt(main())
    await keys.enter(link('My orders'))
    await keys.expectAt(main())
    await page.locator('.order-row').first().waitFor()
    await keys.enter(link('My assets'))
    await keys.expectAt(main())
    await eventually(async () => {
      if ((await button(`Revoke: ${OWN}`).count()) > 0) return true
      await page.reload()
      await page.locator('.asset-row, .empty').first().waitFor()
      return false
    })
    // above the list, which then moves down
    await page.getByText('No orders yet').waitFor()
    const edit = button(`Edit: ${OWN}`)
    await keys.to(edit)
    await keys.looksIntoDialog(edit)
    const revoke = button(`Revoke: ${OWN}`)
    await keys.to(revoke)
    await keys.looksIntoDialog(revoke)
    for (const [action, other] of [
      ['Revoke', 'Restore'],
      ['Restore', 'Revoke'],
    ]) {
      await press('Enter')
      await keys.enter(page.getByRole('dialog').getByRole('button', { name: action as string, exact: true }))
      await keys.dialogGone()
      await keys.expectAt(button(`${other}: ${OWN}`))
    }
  })

  it('chooses colours, and reads the status', async () => {
    const colours = button('Colours: as in the system')
    await keys.to(colours, { back: true })
    await press('Space')
    await keys.expectAt(button('Colours: light'))
    await goTo('Status')
    await page.getByText('All systems work').waitFor()
    expect((await keys.around()).length).toBeGreaterThan(8)
  })

  it('showed the focus at every stop, with nothing over it', () => {
    expect([...new Set(keys.faults)]).toEqual([])
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })
})
