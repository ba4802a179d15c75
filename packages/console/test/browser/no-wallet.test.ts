import decoder from 'jsqr'
import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { axeFindings } from '../../../../test/helpers/axe.js'
import { NO_TROUBLE, type ObservedOptions, observedPage } from '../../../../test/helpers/browser.js'
import { browser, dev, page as insecurePage, NARROW, useDevPage } from './dev-page.js'

useDevPage()

/** The address of the shop for browsers. */
const SHOP = 'https://shop.example'
const PAGE = `${SHOP}/console/?text=low%20tide#results`
const PHONE = { viewport: NARROW, hasTouch: true, isMobile: true }

/** Opens the page of a shop with TLS and without a built-in wallet, and its dialog. */
async function dialogOf(options: Omit<ObservedOptions, 'origins'>, address = PAGE) {
  const origins = [SHOP, new URL(dev.facts.rpcUrl).origin]
  const observed = await observedPage(browser, { origins, reducedMotion: 'reduce', ...options })
  await observed.context.route(`${SHOP}/**`, async (route) => {
    const url = route.request().url().replace(SHOP, dev.facts.providerUrl)
    // the local network refuses other origins
    const { origin: _origin, ...headers } = route.request().headers()
    const response = await route.fetch({ url, headers })
    if (!url.endsWith('/console/config.json')) return route.fulfill({ response })
    const { local: _, ...config } = await response.json()
    return route.fulfill({ response, json: config })
  })
  const { page } = observed
  page.setDefaultTimeout(120_000)
  await page.goto(address)
  await page.getByRole('button', { name: 'Connect wallet' }).first().press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('No wallet was found').waitFor()
  return { ...observed, dialog }
}

/** Returns the findings of axe in both colours. */
async function findingsOf({ page }: Awaited<ReturnType<typeof dialogOf>>) {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await axeFindings(page)))
  }
  return found
}

/** Decodes the QR code on a screenshot. */
async function decoded(code: Locator): Promise<string | undefined> {
  const png = (await code.screenshot()).toString('base64')
  const { width, height, data } = await code.page().evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes]))
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext(
      '2d',
    ) as OffscreenCanvasRenderingContext2D
    context.drawImage(bitmap, 0, 0)
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
    return { width: bitmap.width, height: bitmap.height, data }
  }, png)
  return decoder.default(data, width, height)?.data
}

it('shows a QR code of the page on a desk', async () => {
  const observed = await dialogOf({ viewport: { width: 1440, height: 900 } })
  const { dialog, page, trouble, context } = observed
  const code = dialog.getByRole('img', { name: 'QR code with the address of this page' })
  await code.waitFor()
  expect(await findingsOf(observed)).toEqual([])
  // in dark colours
  expect(await decoded(code)).toBe(PAGE)
  expect(await dialog.getByRole('link').count()).toBe(0)
  const copy = dialog.getByRole('button', { name: 'Copy the address of this page' })
  await page.keyboard.press('Tab')
  expect(await copy.evaluate((one) => one === document.activeElement)).toBe(true)
  expect(trouble).toEqual(NO_TROUBLE)
  await context.close()
})

it('opens the page in a wallet on a phone', async () => {
  const observed = await dialogOf(PHONE)
  const { dialog, trouble, context } = observed
  const links = dialog.getByRole('link')
  await links.first().waitFor()
  await expect
    .poll(() => links.allTextContents())
    .toEqual(['Open in MetaMask', 'Open in Coinbase Wallet', 'Open in Trust Wallet', 'Open in OKX Wallet'])
  expect(await links.first().getAttribute('href')).toBe(PAGE.replace('https:/', 'https://link.metamask.io/dapp'))
  expect(await dialog.getByRole('img').count()).toBe(0)
  expect(await findingsOf(observed)).toEqual([])
  expect(trouble).toEqual(NO_TROUBLE)
  await context.close()
})

it('has no code for an address that is too long', async () => {
  const { dialog, trouble, context } = await dialogOf({}, `${SHOP}/console/#${'a'.repeat(4_000)}`)
  await dialog.getByText('There is no code for this address.').waitFor()
  expect(trouble).toEqual(NO_TROUBLE)
  await context.close()
})

it('says that phones need https', async () => {
  await insecurePage.route('**/console/config.json', async (route) => {
    const response = await route.fetch()
    const { local: _, ...config } = await response.json()
    return route.fulfill({ response, json: config })
  })
  await insecurePage.goto(`${dev.facts.providerUrl}/console/`)
  await insecurePage.getByRole('button', { name: 'Connect wallet' }).first().click()
  await insecurePage.getByText('Wallets on phones open a page only if its address begins with https.').waitFor()
  expect(await insecurePage.getByRole('dialog').getByRole('link').count()).toBe(0)
})
