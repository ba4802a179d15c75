// Takes pictures of the console's pages with sample data, at three widths, light and dark, and reports faults of the
// pages. `npm run screenshots [-- NAME…]`: all pages, or the named ones.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startLocalNetwork } from '../packages/dev-network/src/network.js'
import { launchBrowser, observedPage } from '../test/helpers/browser.js'
import { type Samples, SHOTS } from './screenshots/pages.js'
import { remember } from './screenshots/steps.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'screenshots')
/** CSS pixels: phone, tablet and desktop. */
const SIZES = [
  [390, 844],
  [768, 1024],
  [1440, 900],
] as const
const names = process.argv.slice(2)
const unknown = names.filter((name) => !SHOTS.some((shot) => shot.name === name))
if (unknown.length > 0) throw new Error(`No such pages: ${unknown.join(', ')}. See scripts/screenshots/pages.ts.`)
const shots = SHOTS.filter(({ name }) => names.length === 0 || names.includes(name))

execFileSync(process.execPath, ['scripts/build-console.mjs', '--if-stale'], { cwd: root, stdio: 'inherit' })
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
console.log('Publishing the sample data …')
const environment = { CONSOLE: 'true', LOG_LEVEL: 'error' }
const network = await startLocalNetwork({ port: 0, rpcPort: 0, seed: true, environment })
try {
  const samples: Samples = { didOf: (key) => network.seeded?.assets[key] as string }
  const { providerUrl, rpcUrl, accounts } = network.facts
  const browser = await launchBrowser()
  try {
    for (const { name, path, account, prepare } of shots)
      for (const colorScheme of ['light', 'dark'] as const)
        for (const [width, height] of SIZES) {
          const origins = [providerUrl, rpcUrl].map((url) => new URL(url).origin)
          const options = { origins, colorScheme, viewport: { width, height }, reducedMotion: 'reduce' } as const
          const { context, page, trouble } = await observedPage(browser, options)
          if (account !== undefined) {
            await page.goto(`${providerUrl}/live`)
            await remember(page, accounts[account]?.address)
          }
          await page.goto(`${providerUrl}/console/${path(samples)}`, { waitUntil: 'networkidle' })
          await prepare?.(page, samples)
          const file = `${name}-${width}-${colorScheme}.png`
          // away from elements that react to the mouse
          await page.mouse.move(0, 0)
          const high = await page.evaluate(() => document.documentElement.scrollHeight)
          await page.setViewportSize({ width, height: Math.max(height, high) })
          await page.evaluate(() => {
            scrollTo(0, 0)
            return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
          })
          await page.screenshot({ path: join(folder, file) })
          await context.close()
          const found = Object.entries(trouble).flatMap(([kind, list]) =>
            list.map((one: string) => `  ${kind}: ${one}`),
          )
          console.log([`screenshots/${file}`, ...found].join('\n'))
        }
  } finally {
    await browser.close()
  }
} finally {
  await network.close()
}
