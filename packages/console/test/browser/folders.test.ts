import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NO_TROUBLE } from '../../../../test/helpers/browser.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { button, clientOf, dev, findings, NARROW, observed, page, useDevPage, visit, visitAs } from './dev-page.js'

useDevPage()

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  for (const name of ['a', 'b', '.git']) {
    mkdirSync(join(folder, 'tides', name), { recursive: true })
    writeFileSync(join(folder, 'tides', name, 'x.csv'), `of ${name}`)
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

it('publishes a picked folder without hidden files, and downloads it as one archive by a link, and by curl lines (B1)', async () => {
  await visitAs(0, 'publish')
  await page.getByLabel('Choose a folder').setInputFiles(join(folder, 'tides'))
  await page.locator('.file[data-status=done]').nth(1).waitFor()
  const names = await page.locator('.file p:first-child').allTextContents()
  expect(names.filter((name) => name.includes('/'))).toEqual(['tides/a/x.csv', 'tides/b/x.csv'])
  // the same names again
  await page.getByLabel('Choose a folder').setInputFiles(join(folder, 'tides'))
  await page.getByText('two files would have the same name').waitFor()
  await expect.poll(() => page.locator('.file').count()).toBe(2)
  await button('Continue').click()
  await page.getByLabel('Name').fill('Tides')
  await button('Continue').click()
  await button('Continue').click()
  await button('Publish').click()
  await page.getByRole('heading', { name: 'Published' }).waitFor()

  const did = (await page.locator('[data-did]').getAttribute('data-did')) ?? ''
  await eventually(async () => (await fetch(`${dev.facts.providerUrl}/api/aquarius/assets/ddo/${did}`)).ok)
  await visit(`asset/${did}`)
  await button('Get it for free').click()
  const [download] = await Promise.all([page.waitForEvent('download'), button('Download all').click()])
  expect(download.suggestedFilename()).toMatch(/^asset-\w{8}\.zip$/)
  const files = Object.entries(unzipSync(readFileSync(await download.path())))
  expect(files.map(([path, bytes]) => [path, Buffer.from(bytes).toString()])).toEqual([
    ['tides/a/x.csv', 'of a'],
    ['tides/b/x.csv', 'of b'],
  ])
  for (const folder of ['tides/', 'a/', 'b/']) await button(new RegExp(`^${folder}`)).click()

  // the curl lines of files of one name, in a folder that has another file of that name already (B1)
  const place = join(folder, 'by-line')
  mkdirSync(join(place, 'tides/b'), { recursive: true })
  writeFileSync(join(place, 'tides/b/x.csv'), 'o')
  const tools = page.locator('.link-tools')
  for (const [at, name] of ['a', 'b'].entries()) {
    await tools.nth(at).locator('summary').click()
    await tools.nth(at).getByRole('button', { name: 'Copy curl line' }).click()
    const line = await tools.nth(at).locator('input').inputValue()
    await promisify(execFile)('sh', ['-c', `${line} -sS`], { cwd: place })
    expect(readFileSync(join(place, 'tides', name, 'x.csv'), 'utf8')).toBe(`of ${name}`)
  }
  // files and quote of a new asset are refused until it is indexed
  expect({ ...observed.trouble, failed: [] }).toEqual(NO_TROUBLE)
})

/** Returns the description of a file by a provider. */
const told = (name: string, index: number) => ({
  index,
  valid: true,
  name,
  contentLength: '10',
  contentType: 'text/csv',
})

/** Describes other files than the asset has, and returns the height of its page. */
async function heightWith(did: string, names: readonly string[]): Promise<number> {
  await page.unroute('**/api/services/fileinfo')
  await page.route('**/api/services/fileinfo', (one) => one.fulfill({ json: names.map(told) }))
  await visit(`asset/${did}`)
  await page.locator('.file-line .download').nth(19).waitFor()
  return page.evaluate(() => document.documentElement.scrollHeight)
}

it('the page of a folder does not grow with its files, each of which is reached and downloaded', async () => {
  const publisher = clientOf(0)
  const upload = async (content: string) => (await publisher.upload(new File([content], 'x.csv'))).object
  const [many, last] = [await upload('many'), await upload('last')]
  const files = Array.from({ length: 202 }, (_, at) => ({ ...many, name: `tides/${at % 8}/${at}.csv` }))
  files[201] = { ...last, name: 'tides/last/201.csv' }
  const author = 'Harbour office'
  const { did } = await publisher.publish({ files, name: 'A folder', author, license: 'CC-BY-4.0', price: 'free' })
  await eventually(() => publisher.asset(did).then(Boolean, () => false))
  await visitAs(0, `asset/${did}`)
  await button('Get it for free').click()
  await page.getByText('You already have this').waitFor()
  const tree = page.locator('.file-line')
  await expect.poll(() => tree.allInnerTexts()).toEqual([expect.stringMatching(/^tides\/\s+202 files · 808 B$/)])
  expect(await page.locator('.price-large').count()).toBe(0)
  const words = await page.locator('main').innerText()
  const places = [author, 'CC-BY-4.0', 'Price of another order', 'About', '202 files'].map((one) => words.indexOf(one))
  expect(places).toEqual(places.toSorted((a, b) => a - b))

  // by keyboard alone
  await tree.getByRole('button').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'last/' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Download tides/last/201.csv' }).waitFor()
  await page.getByRole('searchbox').fill('LAST/201')
  await page.getByText('1 file found').waitFor()
  await page.getByRole('button', { name: /^Download .*201.csv/ }).focus()
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
  expect(readFileSync(await download.path(), 'utf8')).toBe('last')
  expect(await findings()).toEqual([])

  // 20,000 in one folder, hostile names, and depths of 200 levels
  await page.setViewportSize(NARROW)
  const hundred = await heightWith(
    did,
    Array.from({ length: 100 }, (_, at) => `${at}.csv`),
  )
  const numbered = Array.from({ length: 20_000 }, (_, at) => `${at}.csv`)
  expect(await heightWith(did, numbered)).toBe(hundred)
  await page.getByRole('spinbutton').fill('1000')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Download 19999.csv' }).waitFor()
  const hostile = [
    'a',
    'a/b',
    '\u202egnp.exe',
    'x\u0007y',
    '',
    ...numbered.map((name, at) => 'd/'.repeat(at % 200) + name),
  ]
  await page.unroute('**/api/services/fileinfo')
  await page.route('**/api/services/fileinfo', (one) => one.fulfill({ json: hostile.map(told) }))
  await visit(`asset/${did}`)
  await page.getByRole('button', { name: 'a/', exact: false }).first().waitFor()
  await page.getByRole('searchbox').fill('gnp')
  await page.getByText('1 file found').waitFor()
  expect(await page.locator('.file-line .words').first().innerText()).toBe('gnp.exe')
  expect(await findings()).toEqual([])
  const { heap } = await page.evaluate(() => ({
    heap: (performance as never as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize,
  }))
  expect(heap).toBeLessThan(150 * 2 ** 20)
  expect({ ...observed.trouble, failed: [] }).toEqual(NO_TROUBLE)
})
