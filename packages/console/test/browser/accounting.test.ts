import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { NO_TROUBLE } from '../../../../test/helpers/browser.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { button, clientOf, observed, page, published, useDevPage, visitAs } from './dev-page.js'

useDevPage()

let did: string
let order: `0x${string}`
beforeAll(async () => {
  did = (await published({ name: '=Tides', price: { amount: '2.5' } })).did
  const buyer = clientOf(2)
  order = (await buyer.buy(did)).order
  await eventually(() => buyer.receipt(order).then(Boolean, () => false))
})

const overflows = () => page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

/** Checks the width of the page on a phone and on a desk, with a picture of each if a folder is set. */
async function assertFits(name: string): Promise<void> {
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await overflows(), `${name} at ${width}`).toBe(false)
    const folder = process.env.SCREENSHOTS
    if (folder) await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true })
  }
}

describe('the sales of a publisher', () => {
  it('are listed with payments and sums, and saved as CSV', async () => {
    await visitAs(0, 'mine/sales')
    const row = page.locator(`.sale-row[data-order="${order}"]`)
    await row.getByText('2.5025 OCEAN').first().click()
    await row.getByText('0.0025 OCEAN').waitFor()
    await row.getByText('Yours: 2.5 OCEAN').waitFor()
    await page.getByRole('row', { name: /\d{4}-\d{2} =Tides 1 2.5 OCEAN/ }).waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download as CSV').click()])
    expect(download.suggestedFilename()).toBe('sales.csv')
    const [heading, line] = readFileSync(await download.path(), 'utf8').split('\n')
    expect(heading).toMatch(/^\ufefftime,month,/)
    expect(line).toContain(`,"'=Tides",${did},`)
    expect(line).toContain(`,2.5,0,0,0.0025,0,0,2.5025,${order}`)
    await assertFits('sales')
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })
})

describe('the receipt of a buyer', () => {
  it('is reached from the orders, and names each payment', async () => {
    await visitAs(2, 'mine/orders')
    const row = page.locator(`.order-row[data-did="${did}"]`)
    await row.getByText('2.5025 OCEAN').waitFor()
    await assertFits('orders')
    await row.getByRole('link', { name: 'Receipt' }).click()
    const receipt = page.locator(`.receipt[data-order="${order}"]`)
    for (const text of ['=Tides', did, order, '2.5 OCEAN', '0.0025 OCEAN', '2.5025 OCEAN', 'Valid forever'])
      await receipt.getByText(text, { exact: true }).first().waitFor()
    await assertFits('receipt')
    await page.emulateMedia({ media: 'print' })
    expect(await button('Print').isVisible()).toBe(false)
    await expect.poll(() => receipt.isVisible()).toBe(true)
    expect(observed.trouble).toEqual(NO_TROUBLE)
  })

  it('is not shown to somebody else', async () => {
    await visitAs(3, `receipt/${order}`)
    await page.getByText(`order: ${order} belongs to`).waitFor()
    expect(await page.locator('.receipt').count()).toBe(0)
  })
})
