import chromium from '@sparticuz/chromium'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium as playwright,
} from 'playwright-core'
import { atEnd } from './cleanup.js'

/**
 * What Chromium needs to run as root. Without a graphics card it draws pages itself, as browsers on such machines do, in a
 * tenth of the time that a simulated card takes. The arguments that come with the package turn the same-origin policy off,
 * and run everything in one process, which ends with the first page.
 */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu']

/** Starts the real Chromium that npm brings, without a window. */
export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({ executablePath: await chromium.executablePath(), args: ARGUMENTS })
}

let shared: Promise<Browser> | undefined

/**
 * The Chromium of this process: its test files share it, each with profiles of its own. It ends with the process, and when it
 * has ended before, as in a crash, the next one who needs it starts another.
 */
export function sharedBrowser(): Promise<Browser> {
  const forget = () => {
    shared = undefined
  }
  shared ??= launchBrowser().then((browser) => browser.once('disconnected', forget))
  shared.catch(forget)
  return shared
}

/** What a page must not do. Each entry says where and what. */
export interface PageTrouble {
  /** Errors and warnings on the console, and uncaught ones. */
  errors: string[]
  /** Violations of the content security policy. */
  violations: string[]
  /** Requests to other origins than those that were allowed. */
  foreign: string[]
  /** Requests that failed, and responses from 400 on, except for those that were expected. */
  failed: string[]
}

/** What an observed page may do, beside what Playwright lets its context do. */
export interface ObservedOptions extends BrowserContextOptions {
  /** Origins that pages may send requests to. */
  origins: readonly string[]
  /** Paths, with a leading slash, whose responses may be errors. */
  mayFail?: RegExp
}

/** A browser context with a fresh profile, all pages of which are observed. */
export interface Observed {
  context: BrowserContext
  page: Page
  trouble: PageTrouble
}

/** Milliseconds by which each request of a page is delayed, at most: `SLOW_NETWORK=2500 npx vitest run packages/console/test/browser`. */
const DELAY = Number(process.env.SLOW_NETWORK ?? 0)

/** Delays requests, so that responses come late and in another order. Some are not, as where a cache has them. */
async function delayRequests(context: BrowserContext): Promise<void> {
  await context.route('**/*', async (one) => {
    const wait = Math.random() < 0.6 ? Math.random() * DELAY : 0
    await new Promise((resolve) => setTimeout(resolve, wait))
    // the page may be closed by now
    await one.continue().catch(() => undefined)
  })
}

/** Name of the function by which pages report violations. */
const REPORT = '__reportViolation'

/** Opens a page in a fresh profile, and collects what it must not do. `expect(trouble).toEqual(NO_TROUBLE)` at the end of a test. */
export async function observedPage(browser: Browser, options: ObservedOptions): Promise<Observed> {
  const { origins, mayFail, ...own } = options
  const context = await browser.newContext(own)
  // a shared browser stays
  atEnd(() => context.close())
  if (DELAY > 0) await delayRequests(context)
  const trouble: PageTrouble = { errors: [], violations: [], foreign: [], failed: [] }
  await context.exposeFunction(REPORT, (text: string) => trouble.violations.push(text))
  await context.addInitScript((report) => {
    document.addEventListener(
      'securitypolicyviolation',
      ({ violatedDirective, blockedURI, sourceFile, lineNumber }) => {
        const tell = (globalThis as never as Record<string, (text: string) => void>)[report]
        tell?.(`${violatedDirective} ${blockedURI} at ${sourceFile}:${lineNumber}`)
      },
    )
  }, REPORT)
  context.on('console', (message) => {
    // `failed` has the responses of servers
    if (!['error', 'warning'].includes(message.type()) || /^Failed to load resource/.test(message.text())) return
    trouble.errors.push(`${message.type()}: ${message.text()} at ${message.location().url}`)
  })
  context.on('weberror', (error) => trouble.errors.push(`uncaught: ${error.error().message}`))
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (!['blob:', 'data:', 'about:'].includes(url.protocol) && !origins.includes(url.origin))
      trouble.foreign.push(`${request.method()} ${url.href}`)
  })
  const excused = (url: string) => mayFail?.test(new URL(url).pathname) ?? false
  context.on('response', (response) => {
    if (response.status() >= 400 && !excused(response.url()))
      trouble.failed.push(`${response.status()} ${response.url()}`)
  })
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // a page may abort requests that it does not need
    if (reason !== 'net::ERR_ABORTED' && !excused(request.url())) trouble.failed.push(`${reason} ${request.url()}`)
  })
  return { context, page: await context.newPage(), trouble }
}

/**
 * Prepares an observed page for another test: removes routes, other pages, stored data and trouble. It costs half of a fresh
 * profile, as the cache and the process of the page stay. Init scripts stay too.
 *
 * `still`: URL of a document without scripts in the same origin. Scripts could store data again.
 */
export async function cleanPage({ context, page, trouble }: Observed, still: string): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.setOffline(false)
  for (const other of context.pages()) if (other !== page) await other.close()
  await page.goto(still)
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await context.clearCookies()
  for (const found of Object.values(trouble)) found.length = 0
}

/** A page that did nothing that it must not do. */
export const NO_TROUBLE: PageTrouble = { errors: [], violations: [], foreign: [], failed: [] }
