import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { readConsole } from '../packages/provider/src/console/files.js'
import { serveConsole } from '../packages/provider/src/http/console/serve.js'
import { Connections } from '../packages/provider/src/http/lifetime.js'
import { searchAssets } from '../packages/provider/src/http/routes/search.js'
import { openSqliteStore } from '../packages/provider/src/state/sqlite.js'
import { launchBrowser } from '../test/helpers/browser.js'
import type { Benchmark } from './lib/benchmark.js'
import { quantile, type Row, report, rounded } from './lib/report.js'
import { fill } from './lib/search-documents.js'
import { DIST } from './lib/stage.js'
import { wordBy } from './lib/synthetic-documents.js'
import { servicesFor } from './search.js'

/** A page of the same service that is there at once, to compare with. */
const BARE = '/bare'
const HTML = '<!doctype html><title>Bare</title><ul class="cards"><li><a href="/">Bare</a></li></ul>'
/** What is typed, a letter at a time: words that from every other document down to a handful have. */
const TYPED = [wordBy(0.25), wordBy(0.6), `${wordBy(0.43)} ${wordBy(0.14)}`, wordBy(0.48)]

/** Measures the console in Chromium on an embedded index of 10,000 assets: its first screen, and a keystroke of a search. */
export const consolePage: Benchmark = async (options) => {
  const { smoke } = options
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  const store = openSqliteStore(folder)
  const assets = smoke ? 200 : 10_000
  const rounds = smoke ? 1 : 5
  const app = fastify()
  const rows: Row[] = []
  try {
    await fill(store, assets)
    new Connections(app)
    searchAssets.register(app, servicesFor(store))
    const facts = { version: '0', chains: [], hosting: { enabled: false }, limits: {} }
    serveConsole(app, { files: readConsole(join(DIST, 'console'), ''), path: '/console/', facts } as never)
    app.get(BARE, (_, reply) => reply.type('text/html').send(HTML))
    await app.listen({ host: '127.0.0.1', port: 0 })
    const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
    const browser = await launchBrowser()
    const first = { console: [] as number[], bare: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      first.bare.push(await firstScreen(browser, origin + BARE))
      first.console.push(await firstScreen(browser, `${origin}/console/`))
    }
    rows.push(row('first screen, nothing cached', assets, first.console, first.bare))
    const keys = await keystrokes(browser, `${origin}/console/`, smoke)
    rows.push(row('keystroke to drawn result', assets, keys.drawn, keys.asked))
    await browser.close()
  } finally {
    await app.close()
    await store.close()
    rmSync(folder, { recursive: true })
  }
  report('console', 'The console in Chromium, milliseconds', rows, options)
}

function row(what: string, assets: number, times: number[], bare: number[]): Row {
  return {
    what,
    assets,
    times: times.length,
    p50: rounded(quantile(times, 0.5), 0),
    p95: rounded(quantile(times, 0.95), 0),
    // a bare page, or the request of the search by itself
    'against p50': rounded(quantile(bare, 0.5), 0),
    'p50 to it': rounded(quantile(times, 0.5) / quantile(bare, 0.5), 1),
    load: rounded(loadavg()[0] as number, 1),
  }
}

async function fresh(browser: Browser): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext()
  // tsx names functions by a helper of its own, which pages do not have
  await context.addInitScript({ content: 'globalThis.__name = (one) => one' })
  return { context, page: await context.newPage() }
}

/** Milliseconds from the beginning of a navigation until assets are drawn, in a fresh profile. */
async function firstScreen(browser: Browser, url: string): Promise<number> {
  const { context, page } = await fresh(browser)
  await page.addInitScript(() => {
    const look = () => {
      if (!document.querySelector('.cards a')) return requestAnimationFrame(look)
      // what is there now is drawn with this frame
      requestAnimationFrame(() => Object.assign(globalThis, { drawnAt: performance.now() }))
    }
    look()
  })
  await page.goto(url)
  const drawn = await page.waitForFunction(() => (globalThis as { drawnAt?: number }).drawnAt)
  const time = (await drawn.jsonValue()) as number
  await context.close()
  return time
}

/** For each letter that is typed: milliseconds until its results are drawn, and those of its request by itself. */
async function keystrokes(
  browser: Browser,
  url: string,
  smoke: boolean,
): Promise<{ drawn: number[]; asked: number[] }> {
  const { context, page } = await fresh(browser)
  await page.goto(url)
  await page.locator('.cards a').first().waitFor()
  await page.evaluate(watchKeys)
  const drawn: number[] = []
  const asked: number[] = []
  for (const text of smoke ? TYPED.slice(0, 1) : TYPED) {
    await page.getByRole('searchbox').focus()
    for (const letter of text) {
      await page.keyboard.press(letter === ' ' ? 'Space' : letter)
      // a space changes nothing that is looked for
      if (letter === ' ') continue
      drawn.push(await nextTime(page))
      asked.push(await requestTime(page))
    }
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await page.waitForURL(/\/console\/$/)
  }
  await context.close()
  return { drawn, asked }
}

/** Runs in the page: measures from a key until the results of all that is typed are drawn. */
function watchKeys(): void {
  const kept = globalThis as { keyTimes?: number[] }
  kept.keyTimes = []
  addEventListener(
    'keydown',
    () => {
      const begun = performance.now()
      const look = () => {
        const typed = document.querySelector<HTMLInputElement>('input[type=search]')?.value ?? ''
        const shown = new URLSearchParams(location.search).get('q') ?? ''
        const results = document.querySelector('.results, .empty')
        const isThere = shown.trim() === typed.trim() && results?.getAttribute('aria-busy') !== 'true'
        if (!isThere) return requestAnimationFrame(look)
        requestAnimationFrame(() => kept.keyTimes?.push(performance.now() - begun))
      }
      // the letter is in the field after the key
      requestAnimationFrame(look)
    },
    true,
  )
}

async function nextTime(page: Page): Promise<number> {
  const time = await page.waitForFunction(() => (globalThis as { keyTimes?: number[] }).keyTimes?.shift())
  return (await time.jsonValue()) as number
}

/** Milliseconds of the newest request of a search, as the browser has measured it. */
function requestTime(page: Page): Promise<number> {
  return page.evaluate(() => {
    const all = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/assets/query'))
    return all.at(-1)?.duration ?? 0
  })
}
