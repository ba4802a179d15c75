import type { Bought, PurchasePrice, Quote, SignedPurchaseReceipt } from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { formatUnits } from 'viem'
import { agreed } from './agreement.js'
import { amountText, heldLines, priceText, validityText } from './amounts.js'
import { assertTakesBytes } from './download/stream-target.js'
import { interrupted } from './output/prompts.js'
import { shown } from './output/text.js'
import { paymentFiles } from './payments.js'
import { keepReceipt } from './purchase-receipts.js'
import { assertWithin, byAddress, type PurchaseRequest } from './purchase-request.js'
import { sellerText } from './sellers.js'
import type { WalletSession } from './session.js'
import { accepted } from './terms.js'

interface SignedPurchase extends PurchaseRequest {
  /** The token, by symbol of the network's list or by address. */
  payWith: string
}

/**
 * Shows the price of an order for one signed payment, and the terms, asks, and pays at most that price. The account needs no coins of the chain.
 * Throws CommandError `NOT_OFFERED`, `OTHER_TOKEN`, and like `purchase`.
 */
export async function signedPurchase(
  session: WalletSession,
  { asset, service, quote, yes, acceptTerms: accept, maxPrice, again, payWith }: SignedPurchase,
): Promise<Bought> {
  const { client, out, signal } = session
  // standard output must accept the result
  assertTakesBytes(1, 'standard output')
  const offered = await offeredIn(session, quote, payWith)
  const { amount, payTo } = offered
  const due: Quote = { ...quote, price: { type: 'fixed', total: [amount] } }
  const [names, funds] = await Promise.all([client.verifiedPublishers({ signal }), client.funds(due)])
  const line = (label: string, text: string) => `  ${label.padEnd(12)} ${text}`
  out.note(
    `${shown(asset.name)} (${asset.did})`,
    line('Seller', sellerText(asset, names)),
    line('Price', `${amountText(amount)}${gasText(offered, quote)}; no coins of the chain needed`),
    line('', `token ${amount.token}`),
    ...heldLines(funds.tokens),
    line('Paid to', `${payTo}, the account of the provider that orders for you`),
    line('An order', `is valid ${validityText(service)}`),
    line('Account', session.address),
    ...(quote.renews ? [line('Renewal', `of an earlier order: ${priceText(quote.price)} without --pay-with`)] : []),
  )
  if (maxPrice) assertWithin(await byAddress(session, maxPrice, due), due)
  const acceptTerms = await accepted(session, { asset, accept, again })
  const message = `Sign a payment of ${amountText(amount)}?`
  await agreed({ yes, message, otherwise: 'not bought', again: accept ? `${again} --accept-terms` : again })
  signal.throwIfAborted()
  try {
    const options = { acceptTerms, signal, onStep: out.step, payments: paymentFiles }
    const { did, service: id, order, reused, paid, receipt } = await client.purchase(offered, options)
    if (receipt) keep(session, receipt)
    return { did, service: id, order, reused, paid, transactions: [], ...(acceptTerms ? { terms: acceptTerms } : {}) }
  } catch (error) {
    if (!signal.aborted) throw error
    throw interrupted(`interrupted. A signed payment may be used: it is kept, and sent again by: ${again}`)
  }
}

/** Keeps a receipt, and says where. The order holds without it. */
function keep({ out }: WalletSession, receipt: SignedPurchaseReceipt): void {
  try {
    out.note(`receipt: ${shown(keepReceipt(receipt))}`)
  } catch (error) {
    out.note(`The receipt is not kept: ${shown((error as Error).message)}.`)
  }
}

/** Returns the price in a token. Throws CommandError `NOT_OFFERED`, `OTHER_TOKEN`, TidegateError `UNKNOWN_TOKEN`. */
async function offeredIn(
  { client, signal }: WalletSession,
  { did, service, file, chainId }: Quote,
  payWith: string,
): Promise<PurchasePrice> {
  const { tokenNamed } = await import('@tidegate/client')
  const token = await tokenNamed(client.context, chainId, payWith)
  const offered = await client.purchasePrice(did, { service, file, signal })
  if (!offered)
    throw new CommandError(
      'NOT_OFFERED',
      `not bought: this provider does not sell ${did} for a signed payment. Repeat the command without --pay-with.`,
    )
  if (offered.amount.token === token) return offered
  throw new CommandError(
    'OTHER_TOKEN',
    `not bought: this provider takes ${amountText(offered.amount)} (token ${offered.amount.token}), and not ${shown(payWith, 42)}.`,
  )
}

/** Says what the price has more than the order costs on the chain, if that is in the same token. */
function gasText({ amount }: PurchasePrice, { price: { total } }: Quote): string {
  const [only, ...more] = total.filter(({ units }) => units > 0n)
  const units = only && more.length === 0 && only.token === amount.token ? amount.units - only.units : 0n
  return units > 0n
    ? `, of which ${amountText({ ...amount, units, amount: formatUnits(units, amount.decimals) })} for gas`
    : ''
}
