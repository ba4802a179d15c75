import { createTidegate } from '@tidegate/client'
import { describe, expect, it } from 'vitest'
import { NO_TROUBLE } from '../../../../test/helpers/browser.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { button, clientOf, dev, findings, observed, page, published, useDevPage, visit, visitAs } from './dev-page.js'

useDevPage()

describe('an own asset in Mine', () => {
  const row = (did: string) => page.locator(`.asset-row[data-did="${did}"]`)
  const dialog = () => page.getByRole('dialog')

  /** The parts of the plan of a version. */
  const plan = async () =>
    (await dialog().locator('[data-part]').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())

  async function save(): Promise<void> {
    await dialog().getByRole('button', { name: 'Save changes' }).click()
    await dialog().waitFor({ state: 'detached' })
  }

  it('gets new files and a price, is hidden from searches, and comes back', async () => {
    const { did, told } = await published({ name: 'Tides in versions', price: 'free', tags: ['tide'] }, 'v1.csv', '1\n')
    await visitAs(0, 'mine/assets')
    await row(did).getByRole('button', { name: /^Edit/ }).click()
    await dialog()
      .locator('input[type=file][multiple]')
      .setInputFiles({ name: 'v2.parquet', mimeType: '', buffer: Buffer.from('22\n') })
    // the present files stay, unless somebody wants it otherwise (B4)
    expect(await dialog().getByLabel('Keep, after the new ones').isChecked()).toBe(true)
    expect(await plan()).toEqual(['Added: 1 v2.parquet', 'Kept: 1 v1.csv'])
    await dialog().getByLabel('Replace all of them').check()
    expect(await plan()).toEqual(['Added: 1 v2.parquet', 'Removed for all buyers: 1 v1.csv'])
    await dialog().getByRole('button', { name: 'Remove 1 file and save' }).waitFor()
    await dialog().getByLabel('Keep, after the new ones').check()
    await dialog().getByLabel('What is new').fill('Hours, in columns')
    await dialog().getByLabel('Paid').check()
    await dialog().getByLabel('Amount').fill('2.5')
    await dialog().getByLabel('Do not find it').check()
    await save()
    await row(did).getByText('Unlisted', { exact: true }).waitFor()
    await row(did).getByText('2.5 OCEAN').first().waitFor()
    const asset = await told()
    expect(asset).toMatchObject({ state: 'unlisted', tags: ['tide'], services: [{ price: { type: 'fixed' } }] })
    expect(asset.services[0]?.files.map(({ size }) => size)).toEqual([3, 2])
    expect(asset.services[0]?.release).toMatchObject({
      ...{ number: 2, notes: 'Hours, in columns', files: 2, bytes: 5, formats: ['parquet', 'csv'] },
    })
    // browsers do not know it
    expect(asset.services[0]?.files[0]?.contentType).toBe('application/vnd.apache.parquet')

    // nothing to send
    await row(did).getByRole('button', { name: /^Edit/ }).click()
    await dialog().getByLabel('Amount').waitFor()
    await save()
    await visit('')
    await page
      .getByText(/^\d+ assets?$|Nothing is published/)
      .first()
      .waitFor()
    expect(await page.getByRole('link', { name: 'Tides in versions' }).count()).toBe(0)

    await visit('mine/assets')
    await row(did)
      .getByRole('button', { name: /^Restore/ })
      .click()
    await dialog().getByRole('button', { name: 'Restore' }).click()
    await row(did).getByText('For sale', { exact: true }).waitFor()
    await eventually(async () => (await told()).state === 'active')
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })

  it('has single files replaced, renamed and removed, with undo, over a reload and by keyboard', async () => {
    const publisher = clientOf(0)
    const hosted = await Promise.all(
      ['a.csv', '2026/b.csv', 'c.csv', 'd.csv'].map(async (name) => {
        const { object } = await publisher.upload(new File([name], name), { name })
        return object
      }),
    )
    const { did } = await publisher.publish({ name: 'Folder of tides', price: 'free', files: hosted })
    await eventually(() => publisher.asset(did).then(Boolean, () => false))
    const files = async () => (await publisher.asset(did)).services[0]?.files.map(({ name, size }) => `${name} ${size}`)
    await visitAs(0, 'mine/assets')
    const open = () => row(did).getByRole('button', { name: /^Edit/ }).click()
    const act = (name: string) => dialog().getByRole('button', { name, exact: true })
    await open()
    await act('Remove a.csv').click()
    await act('Remove c.csv').focus()
    await page.keyboard.press('Enter')
    // a change by mistake is undone before it is saved
    await act('Undo c.csv').click()
    await act('Rename 2026/b.csv').focus()
    await page.keyboard.press('Enter')
    const name = dialog().getByLabel('New name of 2026/b.csv')
    await eventually(() => name.evaluate((input) => input === document.activeElement))
    await name.fill('C.csv')
    await dialog().getByText('This is the name of a file that stays.').waitFor()
    const saving = dialog().getByRole('button', { name: 'Remove 1 file and save' })
    expect(await saving.getAttribute('aria-disabled')).toBe('true')
    await name.fill('a.csv')
    const chosen = { name: 'new.csv', mimeType: 'text/csv', buffer: Buffer.from('new') }
    await dialog().getByLabel('Replace d.csv').setInputFiles(chosen)
    const whole = [
      'Replaced: 1 d.csv',
      'Renamed: 1 2026/b.csv → a.csv',
      'Kept: 1 c.csv',
      'Removed for all buyers: 1 a.csv',
    ]
    expect(await plan()).toEqual(whole)
    expect(await findings()).toEqual([])
    // a reload keeps all but the bytes of the chosen file
    await page.reload()
    await open()
    await dialog().getByText('Choose it again: new.csv').waitFor()
    expect(await saving.getAttribute('aria-disabled')).toBe('true')
    await dialog().getByLabel('Replace d.csv').setInputFiles(chosen)
    expect(await plan()).toEqual(whole)
    await saving.click()
    await dialog().waitFor({ state: 'detached' })
    await eventually(async () => String(await files()) === 'a.csv 10,c.csv 5,d.csv 3')
    await open()
    expect(await plan()).toEqual([])
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })

  it('tells a buyer what is new since his download, and everybody formats, size and licence', async () => {
    const license = 'CC-BY-4.0'
    const { did, told } = await published({ name: 'Tides to come', price: 'free', license }, 'v1.csv', '1\n')
    await visitAs(1, `asset/${did}`)
    await button('Get it for free').click()
    await Promise.all([page.waitForEvent('download'), button('Download').click()])
    await page.locator('.transfer[data-status=done]').waitFor()
    expect(await page.getByText('New since your').count()).toBe(0)
    const publisher = clientOf(0)
    const { object } = await publisher.upload(new File(['22\n'], 'v2.csv'))
    await publisher.update(did, { files: [object], notes: 'Hours of the new year' })
    await eventually(async () => (await told()).services[0]?.release?.number === 2)
    for (const path of [`asset/${did}`, 'mine/orders']) {
      await visit(path)
      await page.getByText('New since your download').waitFor()
      await page.getByText('Hours of the new year').first().waitFor()
      expect(await findings()).toEqual([])
    }
    await visit('')
    const card = page.locator('.card', { hasText: 'Tides to come' })
    await card.getByText('CSV · 3 B · CC-BY-4.0').waitFor()
    for (const [label, value] of [
      ['Licence', license],
      ['Format', 'csv'],
      ['Size of all files', 'small'],
    ] as const)
      await page.getByLabel(label).selectOption(value)
    await card.waitFor()
    expect(new URL(page.url()).search).toBe('?license=CC-BY-4.0&format=csv&size=small')
    expect(await findings()).toEqual([])
    await page.getByLabel('Size of all files').selectOption('large')
    await page.getByText('Nothing matches').waitFor()
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })

  it('with many files draws some of them, and finds the others by name', async () => {
    const publisher = clientOf(0)
    const { object } = await publisher.upload(new File(['1'], 'a.csv'), { anonymous: true })
    const many = Array.from({ length: 150 }, (_, at) => ({ ...object, name: `day/${at}.csv` }))
    const { did } = await publisher.publish({ name: 'Days of tides', price: 'free', files: many })
    await eventually(() => publisher.asset(did).then(Boolean, () => false))
    await visitAs(0, 'mine/assets')
    await row(did).getByRole('button', { name: /^Edit/ }).click()
    await dialog().getByText('Present files: 150').click()
    const rows = dialog().locator('.present')
    await expect.poll(() => rows.count()).toBe(20)
    await dialog().getByRole('button', { name: 'Show more of 130' }).click()
    await expect.poll(() => rows.count()).toBe(120)
    await dialog().getByLabel('Find a file').fill('/149')
    await expect.poll(() => rows.count()).toBe(1)
    await dialog().getByRole('button', { name: 'Remove day/149.csv' }).click()
    await dialog().getByRole('button', { name: 'Undo day/149.csv' }).click()
    // the list stays open
    await dialog().getByRole('button', { name: 'Remove day/149.csv' }).click()
    await dialog().getByRole('button', { name: 'Remove 1 file and save' }).click()
    await dialog().waitFor({ state: 'detached' })
    const names = async () => (await publisher.asset(did)).services[0]?.files.map(({ name }) => name)
    await eventually(async () => String(await names()) === String(many.slice(0, -1).map(({ name }) => name)))
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })

  it('is published without being found', async () => {
    await visitAs(0, 'publish')
    await page
      .locator('.drop input[type=file]')
      .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('1') })
    await page.locator('.file[data-status=done]').waitFor()
    await button('Continue').click()
    await page.getByLabel('Name').fill('Published unlisted')
    await button('Continue').click()
    await page.getByLabel('Do not find it').check()
    await button('Continue').click()
    await page.getByText('Do not find it').waitFor()
    await button('Publish').click()
    await page.getByRole('heading', { name: 'Published' }).waitFor()
    const did = (await page.locator('[data-did]').getAttribute('data-did')) ?? ''
    const { providerUrl: url, rpcUrl } = dev.facts
    const reader = createTidegate({ url, rpcUrl })
    await eventually(() =>
      reader.asset(did).then(
        ({ state }) => state === 'unlisted',
        () => false,
      ),
    )
    expect((await reader.search({ text: 'Published unlisted' })).assets).toEqual([])
  })
})
