import { createTidegate, type PublishRequest } from '@tidegate/client'
import type { Browser, Page } from 'playwright-core'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { launchBrowser, type Observed, observedPage } from '../../../../test/helpers/browser.js'
import { type DevProcess, startDevOnContracts } from '../../../../test/helpers/dev.js'
import { eventually } from '../../../../test/helpers/eventually.js'

export const NARROW = { width: 390, height: 844 }

export let dev: DevProcess
export let browser: Browser
export let observed: Observed
export let page: Page

/** Starts a local network with a browser, and opens a new page for each test. */
export function useDevPage(): void {
  beforeAll(async () => {
    ;[dev, browser] = await Promise.all([startDevOnContracts(), launchBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await dev?.stop()
  })
  beforeEach(async () => {
    const origins = [dev.facts.providerUrl, dev.facts.rpcUrl].map((url) => new URL(url).origin)
    observed = await observedPage(browser, {
      origins,
      reducedMotion: 'reduce',
      viewport: NARROW,
      acceptDownloads: true,
    })
    page = observed.page
    page.setDefaultTimeout(120_000)
  })
  afterEach(() => observed.context.close())
}

export const visit = (path: string) => page.goto(`${dev.facts.providerUrl}/console/${path}`)

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
  await page.getByLabel(`Account ${account}`).check()
  await page.keyboard.press('Escape')
}

/** Publishes as the first account, and waits until the asset is indexed. */
export async function published(request: Omit<PublishRequest, 'files'>, fileName = 'data.csv', content = 'a,b\n1,2\n') {
  const { providerUrl: url, rpcUrl, accounts } = dev.facts
  const account = privateKeyToAccount(accounts[0]?.privateKey as `0x${string}`)
  const publisher = createTidegate({ url, wallet: createWalletClient({ account, transport: http(rpcUrl) }) })
  const { object } = await publisher.upload(new File([content], fileName, { type: 'text/csv' }))
  const { did } = await publisher.publish({ files: [object], ...request })
  await eventually(() => publisher.asset(did).then(Boolean, () => false))
  return { did, told: () => publisher.asset(did) }
}

export const rpc = (method: string, ...params: unknown[]) =>
  fetch(dev.facts.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
