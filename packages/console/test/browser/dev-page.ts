import { createTidegate, type PublishRequest } from '@tidegate/client'
import type { Browser, Page } from 'playwright-core'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { chooseAccount, remember } from '../../../../scripts/screenshots/steps.js'
import { axeFindings } from '../../../../test/helpers/axe.js'
import { cleanPage, type Observed, observedPage, sharedBrowser } from '../../../../test/helpers/browser.js'
import { type Dev, startDevHere } from '../../../../test/helpers/dev.js'
import { eventually } from '../../../../test/helpers/eventually.js'

export const NARROW = { width: 390, height: 844 }

export let dev: Dev
export let browser: Browser
export let observed: Observed
export let page: Page

/**
 * Starts a local network, and gives each test a page without stored data. Tests share the page until one fails, and must not add
 * init scripts to it. `environment`: settings of its service.
 */
export function useDevPage(environment: () => Promise<NodeJS.ProcessEnv> = async () => ({})): void {
  let isUsed = false
  beforeAll(async () => {
    ;[dev, browser] = await Promise.all([environment().then((own) => startDevHere([], own)), sharedBrowser()])
  })
  beforeEach(async () => {
    if (!isUsed) await open()
    else {
      await cleanPage(observed, stillUrl())
      await page.setViewportSize(NARROW)
      await page.emulateMedia({ media: null, colorScheme: 'light', reducedMotion: 'reduce' })
    }
    isUsed = true
    page.setDefaultTimeout(120_000)
  })
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return
    isUsed = false
    await observed.context.close()
  })
}

/** URL of a document without scripts, in the origin of the console. */
const stillUrl = () => `${dev.facts.providerUrl}/live`

/** Opens a page in a fresh profile. */
async function open(): Promise<void> {
  const origins = [dev.facts.providerUrl, dev.facts.rpcUrl].map((url) => new URL(url).origin)
  observed = await observedPage(browser, {
    origins,
    reducedMotion: 'reduce',
    viewport: NARROW,
    acceptDownloads: true,
  })
  page = observed.page
  await page.goto(stillUrl())
}

export const visit = (path: string) => page.goto(`${dev.facts.providerUrl}/console/${path}`)

/**
 * Visits a page with the built-in wallet of an earlier visit, as an account. Cheaper than `connect` and `use`, after each of which
 * the page reads the chain again.
 */
export async function visitAs(account: number, path: string): Promise<void> {
  await remember(page, dev.facts.accounts[account]?.address)
  await visit(path)
}

export const button = (name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' }).first()

/** Connects the built-in wallet, as the first account. */
export async function connect(): Promise<void> {
  await button('Connect wallet').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Built-in wallet' }).click()
}

/** Switches the connected wallet to another account. */
export async function use(account: number): Promise<void> {
  await button(/^Wallet 0x/).click()
  await chooseAccount(page, account)
  await page.keyboard.press('Escape')
}

/** Returns the library with an account of the local network. */
export function clientOf(account: number) {
  const { providerUrl: url, rpcUrl, accounts } = dev.facts
  const key = privateKeyToAccount(accounts[account]?.privateKey as `0x${string}`)
  return createTidegate({ url, wallet: createWalletClient({ account: key, transport: http(rpcUrl) }) })
}

/** Publishes as the first account, and waits until the asset is indexed. */
export async function published(request: Omit<PublishRequest, 'files'>, fileName = 'data.csv', content = 'a,b\n1,2\n') {
  const publisher = clientOf(0)
  const { object } = await publisher.upload(new File([content], fileName, { type: 'text/csv' }))
  const { did } = await publisher.publish({ files: [object], ...request })
  await eventually(() => publisher.asset(did).then(Boolean, () => false))
  return { did, told: () => publisher.asset(did) }
}

/** Returns the findings of axe at 390 and 1440 px, and checks that the page is not wider. */
export async function findings(): Promise<string[]> {
  const found: string[] = []
  for (const [width, colorScheme] of [
    [390, 'light'],
    [1440, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const needed = await page.evaluate(() => document.documentElement.scrollWidth)
    if (needed > width) found.push(`${width}: ${needed} pixels wide`)
    found.push(...(await axeFindings(page)).map((one) => `${width} ${colorScheme}: ${one}`))
    const folder = process.env.SCREENSHOTS
    const name = expect.getState().currentTestName?.replace(/\W+/g, '-').slice(0, 60)
    if (folder) await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true })
  }
  return found
}

export const rpc = (method: string, ...params: unknown[]) =>
  fetch(dev.facts.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
