import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { SigningWallet } from '../../packages/console/test/browser/signing-wallet.js'
import type { NetworkInfo } from '../../packages/dev-network/src/network.js'
import { type Observed, observedPage, type PageTrouble } from '../helpers/browser.js'

export interface Tour {
  browser: Browser
  /** Origin of the front end. */
  origin: string
  network: NetworkInfo
  /** Asset to buy. */
  did: string
  /** Number of an account that has ordered nothing. */
  buyer: number
  /** CSS pixels. */
  width: number
  /** Folder for the screenshots. */
  pictures: string
}

const OWNED = 'You bought this dataset already'

/** Gives pages the announced wallet as MetaMask's `window.ethereum` too: this front end knows no EIP-6963. */
function provideInjected(): void {
  addEventListener('eip6963:announceProvider', (event) => {
    const { provider } = (event as CustomEvent).detail
    Object.assign(globalThis, { ethereum: Object.assign(provider, { isMetaMask: true }) })
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
}

/** Hides the panel for messages, which covers the lower half of a phone. */
function hideMessages(): void {
  addEventListener('DOMContentLoaded', () =>
    document.head.insertAdjacentHTML('beforeend', '<style>[class*=DirectMessages_floating]{display:none}</style>'),
  )
}

/** Opens a page with the buyer's wallet, and without the internet. */
async function openPage({ browser, origin, network, buyer, width }: Tour): Promise<Observed> {
  const { providerUrl, rpcUrl, chainId, accounts } = network
  const key = accounts[buyer]?.privateKey as `0x${string}`
  const origins = [origin, ...[providerUrl, rpcUrl].map((url) => new URL(url).origin)]
  // the market crashes if the system's locale is no language tag
  const options = { origins, viewport: { width, height: 900 }, locale: 'en-US', acceptDownloads: true }
  const observed = await observedPage(browser, options)
  const { context } = observed
  // its other services are on the internet
  await context.route(
    ({ origin }) => !origins.includes(origin),
    (one) => one.abort(),
  )
  // tsx names functions with a helper that pages lack
  await context.addInitScript('globalThis.__name = (named) => named')
  await context.addInitScript(hideMessages)
  const wallet = new SigningWallet({ keys: [key], rpcUrl, chainId, context })
  await SigningWallet.install(context, () => wallet)
  await context.addInitScript(provideInjected)
  observed.page.setDefaultTimeout(60_000)
  return observed
}

/**
 * Searches, opens an asset, buys it, sees it owned after a reload, downloads it, and finds it in the profile, with a
 * screenshot of each page. Returns the trouble of the pages. Throws Error if a page shows something else.
 */
export async function tourMarket(tour: Tour): Promise<PageTrouble> {
  const { origin, did, width, pictures } = tour
  const { context, page, trouble } = await openPage(tour)
  const asset = page.locator(`a[href="/asset/${did}"]`)
  const picture = async (name: string) => {
    await page.screenshot({ path: join(pictures, `${name}-${width}.png`), fullPage: true })
  }
  try {
    await page.goto(origin)
    // of the lists "Most Sales" and "Recently Published"
    await page.locator('article').nth(6).waitFor()
    await picture('home')

    await page.goto(`${origin}/search?text=tide&sort=_score`)
    await asset.waitFor()
    await picture('search')
    await asset.click()
    await page.waitForURL(`${origin}/asset/${did}`)
    await page
      .locator('nav')
      .getByText(/^Connect/)
      .click()
    await page.getByRole('button', { name: 'MetaMask' }).first().click()
    const buy = page.getByRole('button', { name: /^Buy/ })
    await buy.waitFor()
    await picture('asset')
    await buy.click()
    await page.getByText(OWNED).waitFor()
    // the page knows its own purchase; after a reload it asks the service for orders
    await page.reload()
    await page.getByText(OWNED).waitFor()
    await picture('owned')
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const text = readFileSync(await (await file).path(), 'utf8')
    if (!text.startsWith('date,high_water_1')) throw new Error(`The market downloaded ${text.slice(0, 80)}`)

    await page.goto(`${origin}/profile`)
    await page.getByRole('tab', { name: 'Downloads' }).click()
    await asset.waitFor()
    await picture('downloads')
    return trouble
  } catch (error) {
    await picture('failed')
    throw new Error(`${error}\n${[...trouble.failed, ...trouble.errors].join('\n')}`)
  } finally {
    await context.close()
  }
}
