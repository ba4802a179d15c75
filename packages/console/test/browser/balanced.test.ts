import type { Browser } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { balancedNode } from '../../../../test/helpers/balanced-node.js'
import { type Observed, observedPage, sharedBrowser } from '../../../../test/helpers/browser.js'
import { type Dev, startDevHere } from '../../../../test/helpers/dev.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { SigningWallet } from './signing-wallet.js'

const CONTENT = 'x,y,depth\n1,2,7.5\n'
const LAGS = [0, 2_000]

let dev: Dev
let browser: Browser
let observed: Observed
beforeAll(async () => {
  ;[dev, browser] = await Promise.all([startDevHere(), sharedBrowser()])
})
afterEach(() => observed.context.close())

/** Opens a page that reads the chain through an address of mixed moments. Its wallet has a node of its own. */
async function open(seed: number, state: number[]) {
  const { providerUrl, rpcUrl, chainId, accounts } = dev.facts
  const balance = { lags: { blocks: LAGS, logs: LAGS, receipts: LAGS, state }, repeats: 0.5, seed }
  const node = await balancedNode(rpcUrl, balance)
  const origins = [providerUrl, rpcUrl].map((one) => new URL(one).origin)
  observed = await observedPage(browser, { origins, reducedMotion: 'reduce', acceptDownloads: true })
  await observed.context.route(`${new URL(rpcUrl).origin}/**`, async (route) => {
    const body = route.request().postData()
    if (body === null) return route.continue()
    const headers = { 'content-type': 'application/json' }
    const answer = async () => {
      const told = await fetch(node.url, { method: 'POST', headers, body })
      await route.fulfill({ headers: { ...headers, 'access-control-allow-origin': '*' }, body: await told.text() })
    }
    // page and node may be closed by now
    await answer().catch(() => route.abort().catch(() => undefined))
  })
  const keys = accounts.slice(2 * seed, 2 * seed + 2).map(({ privateKey }) => privateKey as `0x${string}`)
  const wallet = new SigningWallet({ keys, rpcUrl, chainId, context: observed.context })
  await SigningWallet.install(observed.context, () => wallet)
  const { page } = observed
  page.setDefaultTimeout(120_000)
  return { page, wallet, node }
}

describe('the console at an address that balances over nodes of different moments', () => {
  it.each([
    ['of every second call', 1, LAGS],
    ['of every call', 2, [2_000]],
  ])('publishes, buys once and downloads, while the state %s is late', async (_, seed, state) => {
    const { page, wallet, node } = await open(seed, state)
    const { providerUrl } = dev.facts
    const button = (name: string) => page.getByRole('button', { name, exact: true }).first()
    await page.goto(`${providerUrl}/console/publish`)
    await button('Connect wallet').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Signing wallet' }).click()
    const file = { name: 'soundings.csv', mimeType: 'text/csv', buffer: Buffer.from(CONTENT) }
    await page.locator('input[type=file]').first().setInputFiles(file)
    await page.locator('.file[data-status=done]').waitFor()
    await button('Continue').click()
    await page.getByLabel('Name').fill(`Soundings ${seed}`)
    await button('Continue').click()
    await page.getByLabel('Paid').check()
    await page.getByLabel('Amount').fill('2.5')
    await button('Continue').click()
    await button('Publish').click()
    await page.getByRole('heading', { name: 'Published' }).waitFor()
    const did = await page.locator('[data-did]').getAttribute('data-did')
    const document = `${providerUrl}/api/aquarius/assets/ddo/${did}`
    await eventually(async () => (await fetch(document)).ok)
    await wallet.choose(1)
    await page.goto(`${providerUrl}/console/asset/${did}`)
    await wallet.choose(1)
    await button('Buy for 2.5025 OCEAN').click()
    await page.getByText('You already have this').first().waitFor()
    // two to publish; an approval and an order
    expect(wallet.count('eth_sendTransaction')).toBe(4)
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download').click()])
    expect(download.suggestedFilename()).toBe('soundings.csv')
    expect(node.posts).toBeGreaterThan(0)
    expect(observed.trouble).toMatchObject({ errors: [], violations: [], foreign: [] })
  })
})
