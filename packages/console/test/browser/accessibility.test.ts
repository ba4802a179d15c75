import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Samples, SHOTS, type Shot } from '../../../../scripts/screenshots/pages.js'
import { remember } from '../../../../scripts/screenshots/steps.js'
import { axeFindings } from '../../../../test/helpers/axe.js'
import { cleanPage, type Observed, observedPage, sharedBrowser } from '../../../../test/helpers/browser.js'
import { type Dev, startDevHere } from '../../../../test/helpers/dev.js'

/** A telephone in light colours and a desktop in dark ones. Nearly every element appears on both, so in both colours. */
const LOOKS = [
  [390, 'light'],
  [1440, 'dark'],
] as const
const HEIGHT = 900

let dev: Dev
let browser: Browser
let samples: Samples
beforeAll(async () => {
  const [seeded, shared] = await Promise.all([startDevHere(['--seed']), sharedBrowser()])
  ;[dev, browser] = [seeded, shared]
  samples = { didOf: (key) => seeded.samples[key] as string }
})

/** The page that all tests share. */
let observed: Observed
let page: Page
beforeAll(async () => {
  const origins = [dev.facts.providerUrl, dev.facts.rpcUrl].map((url) => new URL(url).origin)
  observed = await observedPage(browser, {
    origins,
    // some requests fail on purpose
    mayFail: /^\/api\//,
    reducedMotion: 'reduce',
  })
  page = observed.page
  page.setDefaultTimeout(120_000)
})

/** What the page shows, if the next test may continue from it. */
let left: Shot | undefined

/** Loads a page without stored data, but for the wallet of an account. */
async function open(path: string, account?: number): Promise<void> {
  left = undefined
  await cleanPage(observed, `${dev.facts.providerUrl}/live`)
  if (account !== undefined) await remember(page, dev.facts.accounts[account]?.address)
  await page.goto(`${dev.facts.providerUrl}/console/${path}`, { waitUntil: 'networkidle' })
}

/** Returns the findings of axe for a page, in each look; first in the one that the page has. */
async function findings(): Promise<string[]> {
  const found: string[] = []
  const isNarrow = page.viewportSize()?.width === LOOKS[0][0]
  for (const [width, colorScheme] of isNarrow ? LOOKS : LOOKS.toReversed()) {
    await page.setViewportSize({ width, height: HEIGHT })
    await page.emulateMedia({ colorScheme })
    const needed = await page.evaluate(() => document.documentElement.scrollWidth)
    if (needed > width) found.push(`${width}: ${needed} pixels wide`)
    found.push(...(await axeFindings(page)).map((one) => `${width} ${colorScheme}: ${one}`))
  }
  return found
}

describe('the pages of the console', () => {
  async function show(shot: Shot): Promise<void> {
    const last = left
    left = undefined
    if (last && shot.goOn && SHOTS[SHOTS.indexOf(shot) - 1] === last) await shot.goOn(page)
    else {
      await open(shot.path(samples), shot.account)
      await shot.prepare?.(page, samples)
    }
    left = shot
  }

  it.each(
    SHOTS.map((shot) => [shot.name, shot] as const),
  )('%s: axe finds nothing, it fits, and nothing is said on the console', async (_, shot) => {
    await show(shot)
    expect(await findings()).toEqual([])
    expect({ ...observed.trouble, failed: [] }).toEqual({ errors: [], violations: [], foreign: [], failed: [] })
  })

  it('results during the next search: axe finds nothing', async () => {
    await open('')
    await page.locator('.results[aria-busy=false] .card').first().waitFor()
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(/\/query$/, async (route) => {
      await held
      await route.continue()
    })
    await page.getByRole('searchbox').fill('tide')
    await page.locator('.results[aria-busy=true] .card').first().waitFor()
    expect(await findings()).toEqual([])
    answer()
    await page.locator('.results[aria-busy=false]').waitFor()
  })

  it('a revoked asset and its transaction: axe finds nothing', async () => {
    await open('mine/assets', 6)
    const row = page.locator('.asset-row').first()
    const did = await row.getAttribute('data-did')
    const own = page.locator(`.asset-row[data-did="${did}"]`)
    await own.getByRole('button', { name: /^Revoke: / }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    // its place in the list changes
    await own.getByText('Revoked', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Show transactions' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await findings()).toEqual([])
    await page.goto(`${dev.facts.providerUrl}/console/asset/${did}`)
    await page.getByText('Nobody can order or download it now').first().waitFor()
    expect(await findings()).toEqual([])
  })
})
