import { createTidegate } from '@tidegate/client'
import type { Browser } from 'playwright-core'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cleanPage, NO_TROUBLE, type Observed, observedPage, sharedBrowser } from '../../../../test/helpers/browser.js'
import { type Dev, startDevHere } from '../../../../test/helpers/dev.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { SigningWallet } from './signing-wallet.js'

const NAME = 'Soundings of the outer harbour'
const CONTENT = 'x,y,depth\n1,2,7.5\n'
const DECLINED = 'You declined in the wallet. Nothing was sent.'
const ELSEWHERE = 1

let dev: Dev
let browser: Browser
let did: string
let observed: Observed
let wallet: SigningWallet
beforeAll(async () => {
  ;[dev, browser] = await Promise.all([startDevHere(), sharedBrowser()])
  const { providerUrl: url, rpcUrl, accounts } = dev.facts
  const account = privateKeyToAccount(accounts[0]?.privateKey as `0x${string}`)
  const publisher = createTidegate({ url, wallet: createWalletClient({ account, transport: http(rpcUrl) }) })
  const { object } = await publisher.upload(new File([CONTENT], 'soundings.csv', { type: 'text/csv' }))
  ;({ did } = await publisher.publish({ files: [object], name: NAME, price: { amount: '1.5' } }))
  await eventually(() => publisher.asset(did).then(Boolean, () => false))
})

/** Each test has its own wallet and buyer; the last account never buys. */
let next = 1
beforeAll(async () => {
  const { providerUrl, rpcUrl } = dev.facts
  observed = await observedPage(browser, {
    origins: [providerUrl, rpcUrl].map((one) => new URL(one).origin),
    reducedMotion: 'reduce',
    acceptDownloads: true,
  })
  await SigningWallet.install(observed.context, () => wallet)
  observed.page.setDefaultTimeout(120_000)
})
beforeEach(async () => {
  const { providerUrl, rpcUrl, chainId, accounts } = dev.facts
  await cleanPage(observed, `${providerUrl}/live`)
  const keys = [accounts[next++], accounts.at(-1)].map((one) => one?.privateKey as `0x${string}`)
  wallet = new SigningWallet({ keys, rpcUrl, chainId, context: observed.context })
  await observed.page.goto(`${providerUrl}/console/asset/${did}`)
})
afterEach(() => {
  expect(observed.trouble).toEqual(NO_TROUBLE)
})

const button = (name: string | RegExp) =>
  observed.page.getByRole('button', { name, exact: typeof name === 'string' }).first()
const said = (text: string) => observed.page.getByText(text).first()

async function connect(): Promise<void> {
  await button('Connect wallet').click()
  await observed.page.getByRole('dialog').getByRole('button', { name: 'Signing wallet' }).click()
}

describe('a browser wallet that announces itself', () => {
  it('connects, pays, signs, and is remembered by the next visit', async () => {
    await connect()
    await button('Buy for 1.5015 OCEAN').click()
    await said('You already have this').waitFor()
    const [download] = await Promise.all([observed.page.waitForEvent('download'), button('Download').click()])
    expect(download.suggestedFilename()).toBe('soundings.csv')
    await observed.page.locator('.transfer[data-status=done]').waitFor()
    expect(wallet.count('eth_sendTransaction')).toBeGreaterThan(0)
    expect(wallet.count('personal_sign')).toBe(1)
    await observed.page.reload()
    await said('You already have this').waitFor()
    // reading needs no confirmation of its owner
    expect(wallet.count('eth_requestAccounts')).toBe(1)
  })

  it('signs one readable message for downloads, links and uploads; a hash only after its explanation', async () => {
    const { page } = observed
    const root = (url: URL) => url.href === `${dev.facts.providerUrl}/`
    await page.route(root, async (one) => {
      const { signIn: _, ...json } = await (await one.fetch()).json()
      await one.fulfill({ json })
    })
    await connect()
    await button('Buy for 1.5015 OCEAN').click()
    await said('You already have this').waitFor()
    const dialog = page.getByRole('dialog', { name: 'Your wallet will show a hash' })
    await button('Download').click()
    await dialog.getByText('its operator has not configured that address').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.transfer[data-status=failed]').waitFor()
    expect(wallet.signed).toEqual([])
    await button('Download').click()
    await dialog.getByRole('button', { name: 'Continue in the wallet' }).click()
    await page.locator('.transfer[data-status=done]').waitFor()
    expect(wallet.signed).toEqual([expect.stringMatching(/^0x[0-9a-f]{64}$/)])

    await page.unroute(root)
    await page.reload()
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    wallet.beforeSigning = () => held
    await button('Download').click()
    await page.getByRole('dialog', { name: 'Sign in with your wallet' }).getByText('names 127.0.0.1').waitFor()
    release()
    await page.locator('.transfer[data-status=done]').waitFor()
    await said('More ways to download').click()
    for (const tool of ['Copy link', 'Copy curl line']) {
      await button(tool).click()
      await page.locator('.made-link input').waitFor()
    }
    await page.getByRole('link', { name: 'Publish', exact: true }).click()
    await page
      .locator('.drop input[type=file]')
      .setInputFiles({ name: 'a.csv', mimeType: '', buffer: Buffer.from('1') })
    await page.locator('.file[data-status=done]').waitFor()
    expect(wallet.signed.slice(1)).toEqual([
      expect.stringContaining('wants you to sign in with your Ethereum account:'),
    ])
  })

  it('may decline to connect, to pay and to sign: the page reports it, and retries on request', async () => {
    wallet.declines.add('eth_requestAccounts')
    await connect()
    await said(DECLINED).waitFor()
    wallet.declines.clear()
    await observed.page.getByRole('dialog').getByRole('button', { name: 'Signing wallet' }).click()
    wallet.declines.add('eth_sendTransaction')
    await button('Buy for 1.5015 OCEAN').click()
    await said(DECLINED).waitFor()
    // a declined transaction is not pending
    await expect.poll(() => button(/pending transactions?/).count()).toBe(0)
    wallet.declines.clear()
    await button('Buy for 1.5015 OCEAN').click()
    await said('You already have this').waitFor()
    wallet.declines.add('personal_sign')
    await button('Download').click()
    await observed.page.locator('.transfer[data-status=failed]').waitFor()
    expect(await observed.page.locator('.transfer').textContent()).toContain('The wallet did not sign the request.')
  })

  it('is asked to switch the network, which it may not know or may decline', async () => {
    await connect()
    await button('Buy for 1.5015 OCEAN').waitFor()
    await wallet.goTo(ELSEWHERE)
    wallet.declines.add('wallet_switchEthereumChain')
    await button('Switch to Local network').click()
    await said(DECLINED).waitFor()
    wallet.declines.clear()
    wallet.chains.delete(dev.facts.chainId)
    await button('Switch to Local network').click()
    await button('Buy for 1.5015 OCEAN').waitFor()
    expect(wallet.count('wallet_addEthereumChain')).toBe(1)
    expect(wallet.count('eth_sendTransaction')).toBe(0)
  })

  it('may switch the account during a purchase: the first account gets the order', async () => {
    await connect()
    let release = () => {}
    wallet.beforeSending = () => new Promise((resolve) => (release = resolve))
    await button('Buy for 1.5015 OCEAN').click()
    await eventually(() => wallet.count('eth_sendTransaction') > 0)
    await wallet.choose(1)
    // the other account may buy for itself, and sees nothing of the first one's purchase
    await button('Buy for 1.5015 OCEAN').waitFor()
    wallet.beforeSending = async () => {}
    release()
    await observed.page.getByRole('button', { name: 'Show transactions' }).waitFor()
    await button('Buy for 1.5015 OCEAN').waitFor()
    expect(await said('You already have this').count()).toBe(0)
    await wallet.choose(0)
    await said('You already have this').waitFor()
  })
})
