import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Samples, SHOTS, type Shot } from '../../../../scripts/screenshots/pages.js'
import { connect } from '../../../../scripts/screenshots/steps.js'
import { axeFindings } from '../../../../test/helpers/axe.js'
import { type Observed, observedPage, sharedBrowser } from '../../../../test/helpers/browser.js'
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

/** Returns a page with a new profile. */
async function fresh() {
  const origins = [dev.facts.providerUrl, dev.facts.rpcUrl].map((url) => new URL(url).origin)
  const observed = await observedPage(browser, {
    origins,
    // some requests fail on purpose
    mayFail: /^\/api\//,
    reducedMotion: 'reduce',
  })
  observed.page.setDefaultTimeout(120_000)
  return observed
}

async function opened(path: string, observed: Observed) {
  await observed.page.setViewportSize({ width: 1440, height: HEIGHT })
  await observed.page.emulateMedia({ colorScheme: null })
  await observed.page.goto(`${dev.facts.providerUrl}/console/${path}`, { waitUntil: 'networkidle' })
  return observed
}

/** Returns the findings of axe for a page, in each look. */
async function findings(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const [width, colorScheme] of LOOKS) {
    await page.setViewportSize({ width, height: HEIGHT })
    await page.emulateMedia({ colorScheme })
    const needed = await page.evaluate(() => document.documentElement.scrollWidth)
    if (needed > width) found.push(`${width}: ${needed} pixels wide`)
    found.push(...(await axeFindings(page)).map((one) => `${width} ${colorScheme}: ${one}`))
  }
  return found
}

describe('the pages of the console', () => {
  // pages without actions share a profile, and load the console from its cache
  let shared: Observed
  beforeAll(async () => {
    shared = await fresh()
  })

  /** The last page with actions: the next test may continue from it. */
  let left: { shot: Shot; observed: Observed } | undefined
  async function shown(shot: Shot): Promise<Observed> {
    if (left && shot.goOn && SHOTS[SHOTS.indexOf(shot) - 1] === left.shot) {
      await shot.goOn(left.observed.page)
      left.shot = shot
      return left.observed
    }
    await left?.observed.context.close()
    left = undefined
    const observed = await opened(shot.path(samples), shot.prepare ? await fresh() : shared)
    await shot.prepare?.(observed.page, samples)
    if (shot.prepare) left = { shot, observed }
    return observed
  }

  it.each(
    SHOTS.map((shot) => [shot.name, shot] as const),
  )('%s: axe finds nothing, it fits, and nothing is said on the console', async (_, shot) => {
    const { page, trouble } = await shown(shot)
    expect(await findings(page)).toEqual([])
    expect({ ...trouble, failed: [] }).toEqual({ errors: [], violations: [], foreign: [], failed: [] })
  })

  it('results during the next search: axe finds nothing', async () => {
    const { page, context } = await opened('', await fresh())
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
    expect(await findings(page)).toEqual([])
    answer()
    await page.locator('.results[aria-busy=false]').waitFor()
    await context.close()
  })

  it('a revoked asset and its transaction: axe finds nothing', async () => {
    const { page, context } = await opened('mine/assets', await fresh())
    await connect(page, 6)
    const row = page.locator('.asset-row').first()
    const did = await row.getAttribute('data-did')
    const own = page.locator(`.asset-row[data-did="${did}"]`)
    await own.getByRole('button', { name: /^Revoke: / }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    // its place in the list changes
    await own.getByText('Revoked', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Show transactions' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await findings(page)).toEqual([])
    await page.goto(`${dev.facts.providerUrl}/console/asset/${did}`)
    await page.getByText('Nobody can order or download it now').first().waitFor()
    expect(await findings(page)).toEqual([])
    await context.close()
  })
})
