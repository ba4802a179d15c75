import { readFileSync } from 'node:fs'
import { receiptSigner, type SignedPurchaseReceipt } from '@tidegate/client'
import { createWalletClient, http, parseAbi, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { NO_TROUBLE } from '../../../../test/helpers/browser.js'
import { button, dev, findings, observed, page, published, rpc, useDevPage, visit, visitAs } from './dev-page.js'

useDevPage()

/** Number of the buyer's account of the local network. */
const BUYER = 5

/** Leaves the buyer USDC alone, without coins of the chain. */
async function endowed(usdc: string): Promise<void> {
  const { accounts, addresses, rpcUrl } = dev.facts
  const holder = privateKeyToAccount(accounts[0]?.privateKey as `0x${string}`)
  const wallet = createWalletClient({ account: holder, transport: http(rpcUrl) })
  const buyer = accounts[BUYER]?.address as `0x${string}`
  const abi = parseAbi(['function transfer(address to, uint256 value)'])
  const token = { address: addresses.MockUSDC, abi, chain: null }
  await wallet.writeContract({ ...token, functionName: 'transfer', args: [buyer, parseUnits(usdc, 6)] })
  await rpc('anvil_setBalance', buyer, '0x0')
}

it('buys by one signature from an account without coins, and downloads', async () => {
  const { did } = await published({ name: 'Tides without gas', price: { amount: '2.5', token: 'USDC' } })
  await endowed('10')
  // of a stranger, or of a later version
  await page.evaluate(() => localStorage.setItem('tidegate.receipts', '[null, 7, {"transferTxId": "0x"}]'))
  await visitAs(BUYER, `asset/${did}`)
  const pay = button('Pay 2.555 USDC, no gas')
  await pay.waitFor()
  expect(await findings()).toEqual([])
  await pay.click()
  await page.getByText('You already have this').first().waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), button(/^Download/).click()])
  expect(download.suggestedFilename()).toBe('data.csv')
  expect(await page.evaluate(() => localStorage.getItem('tidegate.payments'))).toBe('{}')
  await visit('mine/orders')
  await page.locator(`.order-row[data-did="${did}"]`).getByRole('link', { name: 'Receipt' }).click()
  const [saved] = await Promise.all([page.waitForEvent('download'), button('Save the signed receipt').click()])
  const signed = JSON.parse(readFileSync(await saved.path(), 'utf8')) as SignedPurchaseReceipt
  expect(signed).toMatchObject({ documentId: did, paid: '2555000', payer: dev.facts.accounts[BUYER]?.address })
  await page
    .locator('.receipt')
    .getByText(String(await receiptSigner(signed)), { exact: true })
    .waitFor()
  expect(await findings()).toEqual([])
  // the answer with the price
  const failed = observed.trouble.failed.filter((one) => !one.startsWith('402 '))
  expect({ ...observed.trouble, failed }).toEqual(NO_TROUBLE)
})
