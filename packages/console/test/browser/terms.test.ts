import type { PublishRequest } from '@tidegate/client'
import { expect, it } from 'vitest'
import { NO_TROUBLE } from '../../../../test/helpers/browser.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { button, clientOf, findings, observed, page, published, useDevPage, visit, visitAs } from './dev-page.js'

useDevPage()

const HASH = 'ab'.repeat(32)
const MARKDOWN = '# Use of the tables\n\nNo **resale**. <img src=x onerror=alert(1)>\n'

const termsFile = (content: string) =>
  clientOf(0).uploadPublic(new File([content], 'terms.md', { type: 'text/markdown' }))
const withTerms = async (terms: PublishRequest['terms'], name = 'With terms') =>
  (await published({ name, price: { amount: '1' }, terms })).did

const box = () => page.getByRole('checkbox', { name: 'I accept the terms' })

it('sells after the terms are read and accepted, and names them in the receipt', async () => {
  const terms = await termsFile(MARKDOWN)
  const did = await withTerms(terms)
  await visitAs(2, `asset/${did}`)
  await button(/^Buy for/).click({ force: true })
  await page.getByText('Accept the terms to buy.').waitFor()
  await button('Read the terms').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('heading', { name: 'Use of the tables' }).waitFor()
  await page.getByRole('dialog').getByText('<img src=x onerror=alert(1)>').waitFor()
  expect(await findings()).toEqual([])
  await box().evaluate((input) => {
    document.querySelector('dialog')?.close()
    // before the page hears of it
    input.focus()
  })
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Space')
  expect(await findings()).toEqual([])
  await button(/^Buy for/).click()
  await page.getByText('You already have this').waitFor()
  const buyer = clientOf(2)
  const order = (await buyer.buy(did, { acceptTerms: terms.sha256 })).order
  await eventually(() => buyer.receipt(order).then(Boolean, () => false))
  await visit(`receipt/${order}`)
  await page.getByText(`SHA-256 ${terms.sha256}`).waitFor()
  expect(observed.trouble).toEqual(NO_TROUBLE)
})

it('empties the box if the terms change before the purchase', async () => {
  const did = await withTerms(await termsFile('Old terms'))
  await visitAs(3, `asset/${did}`)
  await box().check()
  const before = (await clientOf(0).asset(did)).updated?.getTime()
  await clientOf(0).update(did, { terms: await termsFile('New terms') })
  await eventually(async () => (await clientOf(0).asset(did)).updated?.getTime() !== before)
  await button(/^Buy for/).click()
  await page.getByText('The terms have changed meanwhile').waitFor()
  expect(await box().isChecked()).toBe(false)
  await button('Read the terms').click()
  await page.getByRole('dialog').getByText('New terms').waitFor()
})

it('links to terms on another server with host and SHA-256, and does not fetch them', async () => {
  const did = await withTerms({ url: 'https://law.example.org/terms.pdf', sha256: HASH, name: 'Terms of use' })
  await visit(`asset/${did}`)
  const link = page.getByRole('link', { name: 'Terms of use' })
  await link.waitFor()
  expect(await link.getAttribute('rel')).toBe('nofollow noopener noreferrer')
  await page.getByText('(law.example.org)').waitFor()
  await page.getByText(`SHA-256 ${HASH}`).waitFor()
  expect(await box().count()).toBe(0)
  expect(observed.trouble).toEqual(NO_TROUBLE)
})

it('refuses the box if the text is not the one that the publisher described', async () => {
  const { url, name } = await termsFile('Another text')
  const did = await withTerms({ url, name, sha256: HASH })
  await visitAs(4, `asset/${did}`)
  await box().waitFor()
  const closed = page.evaluate(closeWhenShown, 'is not the one that the publisher described')
  await button('Read the terms').click()
  await closed
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => box().isDisabled()).toBe(true)
})

/** Waits until the dialog shows a text, and closes it before the browser draws that. */
function closeWhenShown(text: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = new MutationObserver(() => {
      const dialog = document.querySelector('dialog')
      if (!dialog?.textContent?.includes(text)) return
      watcher.disconnect()
      // `close()` tells of it in a later task
      dialog.dispatchEvent(new Event('close'))
      resolve()
    })
    watcher.observe(document.body, { subtree: true, childList: true, characterData: true })
  })
}
