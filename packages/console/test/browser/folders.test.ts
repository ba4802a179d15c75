import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NO_TROUBLE } from '../../../../test/helpers/browser.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { button, connect, dev, observed, page, useDevPage, visit } from './dev-page.js'

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
  await visit('publish')
  await connect()
  await page.getByLabel('Choose a folder').setInputFiles(join(folder, 'tides'))
  await page.locator('.file[data-status=done]').nth(1).waitFor()
  const names = await page.locator('.file p:first-child').allTextContents()
  expect(names.filter((name) => name.includes('/'))).toEqual(['tides/a/x.csv', 'tides/b/x.csv'])
  // the same names again
  await page.getByLabel('Choose a folder').setInputFiles(join(folder, 'tides'))
  await page.getByText('two files would have the same name').waitFor()
  expect(await page.locator('.file').count()).toBe(2)
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
  expect(await page.getByText('tides/b/x.csv').count()).toBeGreaterThan(0)

  // the curl lines of files of one name, in a folder that has another file of that name already (B1)
  const place = join(folder, 'by-line')
  mkdirSync(join(place, 'tides/b'), { recursive: true })
  writeFileSync(join(place, 'tides/b/x.csv'), 'o')
  const tools = page.locator('.link-tools')
  for (const [at, name] of ['a', 'b'].entries()) {
    await tools.nth(at).locator('summary').click()
    await tools.nth(at).getByRole('button', { name: 'Copy curl line' }).click()
    const line = await tools.nth(at).locator('input').inputValue()
    execFileSync('sh', ['-c', `${line} -sS`], { cwd: place })
    expect(readFileSync(join(place, 'tides', name, 'x.csv'), 'utf8')).toBe(`of ${name}`)
  }
  // files and quote of a new asset are refused until it is indexed
  expect({ ...observed.trouble, failed: [] }).toEqual(NO_TROUBLE)
})
