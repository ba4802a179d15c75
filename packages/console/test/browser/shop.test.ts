import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { NO_TROUBLE } from '../../../../test/helpers/browser.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { button, dev, findings, NARROW, observed, page, published, useDevPage, visit, visitAs } from './dev-page.js'

useDevPage()

it('shows assets on the first screen of a telephone, with folded filters and the name of the shop', async () => {
  await published({ name: 'Seen at once', price: 'free' })
  await visit('')
  const card = page.locator('.card').first()
  await card.waitFor()
  const box = await card.boundingBox()
  expect((box?.y ?? NARROW.height) + (box?.height ?? 0)).toBeLessThanOrEqual(NARROW.height)
  expect(await page.getByLabel('Sort by').isVisible()).toBe(false)
  await expect.poll(() => page.locator('.brand span').isVisible()).toBe(true)
})

it('counts the tags of the found assets, and keeps the focus of a chosen one', async () => {
  await published({ name: 'Ebb of the north', tags: ['ebb', 'north'], price: 'free' })
  await published({ name: 'Ebb of the south', tags: ['ebb', 'south'], price: 'free' })
  await published({ name: 'Moon of the south', tags: ['moon', 'south'], price: 'free' })
  await page.setViewportSize({ width: 1440, height: 900 })
  await visit('?q=ebb')
  const tag = (name: string) => page.locator('.tag-filter').getByRole('button', { name })
  await tag('ebb 2').waitFor()
  await tag('south 1').focus()
  await page.keyboard.press('Enter')
  await tag('north').waitFor({ state: 'detached' })
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('south1')
  expect(await tag('moon').count()).toBe(0)
  expect(observed.trouble).toEqual(NO_TROUBLE)
})

it('adds up a price from aligned parts, the first of which is the share of the publisher', async () => {
  const { did } = await published({ name: 'In parts', price: { amount: '2.5' } })
  await visitAs(2, `asset/${did}`)
  await page.getByText('Price in detail').click()
  const rows = page.locator('.parts dl > div')
  await expect
    .poll(() => rows.allInnerTexts())
    .toEqual([
      expect.stringMatching(/^To the publisher\s+2\s*\.5\s+OCEAN$/),
      expect.stringMatching(/^Exchange fees\s+0\s*\.0025\s+OCEAN$/),
      expect.stringMatching(/^Total\s+2\s*\.5025\s+OCEAN$/),
    ])
  const points = await rows
    .locator('dd > :nth-child(2)')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left))
  expect(Math.max(...points) - Math.min(...points)).toBeLessThan(1)
})

it('shows a line instead of a chart without sales', async () => {
  await published({ name: 'Never sold', price: 'free' })
  await visitAs(0, 'mine/assets')
  await page.locator('.asset-row').first().waitFor()
  await page.getByText('No orders yet').first().waitFor()
  expect(await page.locator('.chart').count()).toBe(0)
})

it('does not ask for a file after one was added', async () => {
  await visitAs(0, 'publish')
  await button('Continue').click()
  await page.getByText('Add at least one file.').waitFor()
  await page
    .locator('.drop input')
    .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') })
  await page.locator('.file[data-status=done]').waitFor()
  expect(await page.getByText('Add at least one file.').count()).toBe(0)
})

it('tells balances and the network fee, and that the balance is too small', async () => {
  const { did } = await published({ name: 'Affordable', price: { amount: '3' } })
  const { did: dear } = await published({ name: 'Too dear', price: { amount: '900000000' } })
  await visitAs(5, `asset/${did}`)
  await page.getByText(/^You hold [\d,.]+ OCEAN\.$/).waitFor()
  await page.getByText(/^Network fee: about (≈ )?[\d.]+ ETH\.$/).waitFor()
  await visit(`asset/${dear}`)
  await page.getByText(/^Not enough OCEAN: 900,090,000|^Not enough OCEAN: 900,900,000/).waitFor()
  await button(/^Buy for/).click()
  await page.getByText('Get some more of the token').waitFor()
})

it('keeps the accounts of the wallet in their place while the balances are read', async () => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await visitAs(0, '')
  const wallet = button(/^Wallet 0x/)
  await wallet.waitFor()
  await page.route(`${new URL(dev.facts.rpcUrl).origin}/**`, async (route) => {
    await held
    await route.continue()
  })
  await wallet.click()
  const account = page.getByRole('dialog').getByText('Account 3')
  await account.waitFor()
  const places = []
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    places.push(await account.boundingBox())
  }
  answer()
  await page.getByText(/ETH, .* OCEAN/).waitFor()
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await account.boundingBox()).toEqual(places.pop())
  }
})

it('filters by price within one token, and sorts by it', async () => {
  await published({ name: 'Dear tides', price: { amount: '7' }, tags: ['priced'] })
  await published({ name: 'Cheap tides', price: { amount: '1.5' }, tags: ['priced'] })
  await page.setViewportSize({ width: 1440, height: 900 })
  await visit('?tag=priced&sort=price')
  const names = () => page.locator('.card h3').allTextContents()
  await eventually(async () => isDeepStrictEqual(await names(), ['Cheap tides', 'Dear tides']))
  await page.getByText('Paid', { exact: true }).click()
  await page.getByLabel('Paid in').selectOption({ label: 'OCEAN' })
  await page.getByLabel('At most').focus()
  await page.keyboard.type('2.5')
  await eventually(async () => isDeepStrictEqual(await names(), ['Cheap tides']))
  expect(new URL(page.url()).searchParams.get('most')).toBe('2.5')
  await page.reload()
  await eventually(async () => isDeepStrictEqual(await names(), ['Cheap tides']))
  await page.goBack()
  await eventually(async () => isDeepStrictEqual(await names(), ['Cheap tides', 'Dear tides']))
  expect(await page.getByLabel('At most').inputValue()).toBe('')
  expect(observed.trouble).toEqual(NO_TROUBLE)
})

it('names the tokens of all chains, and keeps a token that no list has', async () => {
  const chain = { chainId: 8997, name: 'Elsewhere', currency: { symbol: 'ETH', decimals: 18 } }
  const token = '0xab'.padEnd(42, '0')
  await page.route('**/console/config.json', async (route) => {
    const settings = await (await route.fetch()).json()
    await route.fulfill({ json: { ...settings, chains: [...settings.chains, chain] } })
  })
  await visit(`?token=${token.toUpperCase().replace('X', 'x')}&most=2`)
  await button('Filters and sorting').click()
  const options = page.getByLabel('Paid in').locator('option')
  await eventually(async () => (await options.allTextContents()).some((name) => name.startsWith('OCEAN (')))
  expect(await page.getByLabel('Paid in').inputValue()).toBe(token)
  await page.getByLabel('At most').fill('2,5')
  await page.getByText('Enter a positive amount').waitFor()
  await page.getByText('Nothing matches').waitFor()
  expect(await findings()).toEqual([])
})

it('offers any token if the provider tells none', async () => {
  await page.route(`${dev.facts.providerUrl}/`, (route) => route.fulfill({ json: {} }))
  await visit('?price=paid')
  await button('Filters and sorting').click()
  await expect.poll(() => page.getByLabel('Paid in').locator('option').allTextContents()).toEqual(['Any token'])
  expect(observed.trouble).toEqual(NO_TROUBLE)
})
