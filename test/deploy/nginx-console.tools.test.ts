import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { connect, drop } from '../../scripts/screenshots/steps.js'
import { freePort } from '../helpers/backends.js'
import { launchBrowser, NO_TROUBLE, observedPage } from '../helpers/browser.js'
import { program } from '../helpers/deploy-tools.js'
import { startDevOnContracts } from '../helpers/dev.js'
import { eventually } from '../helpers/eventually.js'
import { Nginx } from '../helpers/nginx.js'

const PATH = '/data/provider'
const CONTENT = 'hour,height\n0,4.2\n'.repeat(1_000)
const found = program('nginx')
if (!found) console.warn('SKIPPED: the console below a path of nginx. It is not installed (Debian: nginx-light).')

it.skipIf(!found)('the console works below a path of nginx: publish, buy, download, reload', async () => {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const dev = await startDevOnContracts([], { PUBLIC_URL: origin + PATH, TRUSTED_PROXIES: '127.0.0.1' })
  const close = await Nginx.below(PATH, found as string, dev.facts.providerUrl, port)
  const browser = await launchBrowser()
  try {
    // only the addresses below the path, and the chain
    const { page, trouble } = await observedPage(browser, {
      origins: [origin, new URL(dev.facts.rpcUrl).origin],
      reducedMotion: 'reduce',
      acceptDownloads: true,
    })
    page.setDefaultTimeout(120_000)
    const outside: string[] = []
    page.on('request', (request) => {
      const { origin: of, pathname } = new URL(request.url())
      if (of === origin && !pathname.startsWith(`${PATH}/`)) outside.push(pathname)
    })
    const button = (name: string) => page.getByRole('button', { name, exact: true }).first()
    await page.goto(`${origin}${PATH}/`)
    expect(page.url()).toBe(`${origin}${PATH}/console/`)
    await page.getByRole('link', { name: 'Publish' }).first().click()
    await connect(page, 0)
    await drop(page, [{ name: 'heights.csv', content: CONTENT }])
    await button('Continue').click()
    await page.getByLabel('Name').fill('Below a path')
    await button('Continue').click()
    await button('Continue').click()
    await button('Publish').click()
    await page.getByRole('heading', { name: 'Published' }).waitFor()
    const did = await page.locator('[data-did]').getAttribute('data-did')
    await eventually(async () => (await fetch(`${origin}${PATH}/api/aquarius/assets/ddo/${did}`)).ok)
    await page.getByRole('link', { name: 'Open its page' }).click()
    await button('Get it for free').click()
    await page.getByText('You already have this').waitFor()
    await page.reload()
    await page.getByText('You already have this').waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download').click()])
    const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
    expect(sha256(readFileSync(await download.path()))).toBe(sha256(CONTENT))
    await page.getByText('More ways to download').click()
    await button('Copy link').click()
    const link = await page.locator('.made-link input').inputValue()
    expect(link.startsWith(`${origin}${PATH}/api/services/`)).toBe(true)
    expect(await (await fetch(link)).text()).toBe(CONTENT)
    expect(outside).toEqual([])
    expect(trouble).toEqual(NO_TROUBLE)
  } finally {
    await browser.close()
    await close()
    await dev.stop()
  }
})
