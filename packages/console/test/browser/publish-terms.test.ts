import { expect, it } from 'vitest'
import { NO_TROUBLE } from '../../../../test/helpers/browser.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { button, clientOf, dev, findings, observed, page, published, useDevPage, visitAs } from './dev-page.js'

useDevPage()

const chosen = (name: string, content: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })

it('publishes with terms and a sample', async () => {
  await visitAs(0, 'publish')
  await page.locator('.drop input').setInputFiles(chosen('all.csv', 'a,b\n1,2\n'))
  await page.locator('.file[data-status=done]').waitFor()
  await button('Continue').click()
  await page.getByLabel('Name', { exact: true }).fill('Under terms')
  await page.locator('.public-file input').setInputFiles(chosen('some.csv', 'a,b\n1,2\n'))
  await page.getByText('some.csv').waitFor()
  expect(await findings()).toEqual([])
  await button('Continue').click()
  const terms = page.locator('.terms-field')
  await terms.getByLabel('A URL').check()
  await terms.getByLabel('URL of the terms').fill('https://law.example.org/terms')
  await button('Continue').click()
  await terms.getByText('A SHA-256 has 64 hexadecimal digits.').waitFor()
  await terms.getByLabel('A file').check()
  await terms
    .locator('input[type=file]')
    .setInputFiles({ ...chosen('terms.md', '# Be kind'), mimeType: 'text/markdown' })
  await terms.getByText('terms.md').waitFor()
  expect(await findings()).toEqual([])
  await button('Continue').click()
  const review = page.locator('.review')
  await review.getByText('some.csv').waitFor()
  await review.getByText('terms.md').waitFor()
  expect(await findings()).toEqual([])
  await button('Publish').click()
  await page.getByRole('heading', { name: 'Published' }).waitFor()
  const did = (await page.locator('[data-did]').getAttribute('data-did')) as string
  await eventually(() =>
    clientOf(0)
      .asset(did)
      .then(Boolean, () => false),
  )
  const { terms: read, links } = await clientOf(0).asset(did)
  expect([read?.name, links.map(({ name }) => name)]).toEqual(['terms.md', ['some.csv']])
  expect((await clientOf(0).terms(did)).text).toBe('# Be kind')
  expect({ ...observed.trouble, failed: [] }).toEqual(NO_TROUBLE)
})

it('replaces terms, and sets and removes access lists', async () => {
  const terms = await clientOf(0).uploadPublic(new File(['Old'], 'old.md', { type: 'text/markdown' }))
  const { did, told } = await published({ name: 'To be changed', price: 'free', terms })
  const { list } = await clientOf(0).createAccessList({
    name: 'Friends',
    members: [dev.facts.accounts[2]?.address as `0x${string}`],
  })
  await visitAs(0, 'mine/assets')
  const edit = async (change: () => Promise<void>) => {
    await page.locator(`.asset-row[data-did="${did}"]`).getByRole('button', { name: /^Edit/ }).click()
    await change()
    await button('Save changes').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await edit(async () => {
    const field = page.locator('.terms-field')
    await field.getByText('old.md').waitFor()
    await field.getByRole('button', { name: 'Replace' }).click()
    await field.locator('input[type=file]').setInputFiles({ ...chosen('new.md', 'New'), mimeType: 'text/markdown' })
    await field.getByText('new.md').waitFor()
    await page.getByLabel('Only members of access lists').check()
    await page.getByLabel('Addresses', { exact: true }).fill(list)
    expect(await findings()).toEqual([])
  })
  await eventually(async () => (await told()).terms?.name === 'new.md')
  expect((await told()).buyers?.lists.map(({ address }) => address)).toEqual([list])
  await edit(async () => {
    await page.getByText('Its publisher lets the members of an access list buy it.').waitFor()
    await page.locator('.terms-field').getByLabel('None').check()
    await page.getByLabel('Everybody').check()
  })
  await eventually(async () => (await told()).buyers === undefined)
  expect((await told()).terms).toBeUndefined()
})
