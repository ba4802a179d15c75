import { expect, it } from 'vitest'
import { NO_TROUBLE } from '../../../../test/helpers/browser.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { button, dev, NARROW, observed, page, published, use, useDevPage, visit, visitAs } from './dev-page.js'

useDevPage()

it('creates and changes a list, sells to its members, and tells everybody else', async () => {
  const [, , member, other] = dev.facts.accounts.map(({ address }) => address) as string[]
  await visitAs(0, 'mine/lists')
  page.setDefaultTimeout(20_000)
  await page.getByLabel('Name of the list').fill('Harbours')
  await page.getByLabel('Members', { exact: true }).fill(member as string)
  await button('Create list').click()
  const list = page.locator('.access-list')
  await list.waitFor()
  await list.getByText('1 member', { exact: true }).waitFor()
  await list.getByLabel('Add members').fill(`${member} ${other}`)
  await list.getByRole('button', { name: 'Add members' }).click()
  await list.getByText('2 members').waitFor()
  await list.getByText('One account is a member already.').waitFor()
  await list.getByRole('button', { name: `Remove ${other}` }).click()
  await list.getByText('1 member', { exact: true }).waitFor()
  const address = (await list.getAttribute('data-list')) as `0x${string}`
  for (const viewport of [NARROW, { width: 1440, height: 900 }]) {
    await page.setViewportSize(viewport)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }

  const { did } = await published({ name: 'For harbours', price: 'free', accessLists: [address] })
  await visitAs(3, `asset/${did}`)
  await button('Get it for free').waitFor({ state: 'hidden' })
  await page.getByText('Only for invited buyers').first().waitFor()
  await page.getByText('This account is not invited.').waitFor()
  expect(await button(/^(Buy|Get|Connect)/).count()).toBe(0)
  await use(2)
  await eventually(async () => (await button(/^Get/).count()) === 1)
  await page.setViewportSize(NARROW)
  expect({ ...observed.trouble, failed: [] }).toEqual(NO_TROUBLE)
})

it('without a wallet, says that an asset is for invited buyers before its price', async () => {
  const { did } = await published({
    name: 'For one',
    price: 'free',
    access: [dev.facts.accounts[3]?.address as `0x${string}`],
  })
  await visit(`asset/${did}`)
  await page.getByText('Its publisher lets one account buy it.').waitFor()
  await button('Connect an invited wallet').waitFor()
  expect(await page.locator('.panel.order').innerText()).toMatch(/^Only for invited buyers/)
})
