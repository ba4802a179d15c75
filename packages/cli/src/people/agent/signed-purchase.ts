import { type PurchasePrice, type SignedPurchaseReceipt, tokenNamed } from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { amountView, type Input, type Output } from '@tidegate/provider/mcp'
import { paymentFiles } from '../payments.js'
import { keepReceipt } from '../purchase-receipts.js'
import { agreedTerms } from './agreed-terms.js'
import type { PurchaseOptions } from './purchases.js'
import { purchaseOf } from './reservations.js'
import type { Reservation } from './spending.js'

const NOTE = 'The price includes all fees. Download with `get`.'

/**
 * Buys an order by one signed payment in the token `payWith`. A new payment is signed only within the limits of the user, and is counted before
 * it is sent; one whose outcome is not known is sent again. Throws CommandError `SPENDING_LIMIT`, `SPENDING_UNKNOWN`, `PURCHASE_RUNNING`,
 * `OTHER_TOKEN`, `NOT_CONFIRMED`, `TERMS_NOT_ACCEPTED`, and TidegateError like `purchase`.
 */
export async function signedPurchase(
  options: PurchaseOptions,
  { did, service, file, payWith }: Input<'buy'> & { payWith: string },
  signal: AbortSignal,
): Promise<Output<'buy'>> {
  const { client, account, spending } = options
  const { context } = client
  const since = Date.now()
  const asset = await client.asset(did, { signal })
  let reservation: Reservation | undefined
  let isSigned = false
  const accept = async (price: PurchasePrice) => {
    const { chainId, amount, payTo } = price
    await assertToken(options, price, payWith)
    const total = { total: [amount] }
    const purchase = { purchase: purchaseOf(context, price), since }
    reservation = await spending.reserve(context, { chainId, price: total }, purchase)
    const left = await spending.leftToday(context, chainId, amount)
    const quote = { chainId, service: price.service, price: { type: 'fixed' as const, ...total } }
    await agreedTerms(options, { asset, quote, account, payment: { payTo, left } }, signal)
    return true
  }
  try {
    const bought = await client.purchase(did, {
      ...{ service, file, accept, acceptTerms: asset.terms?.sha256, payments: paymentFiles, signal },
      onSigned(authorization) {
        isSigned = true
        reservation?.signed(authorization)
      },
    })
    const { order, reused, paid, payTo, receipt } = bought
    if (receipt) keepIfPossible(receipt)
    const [amount] = paid
    const left = amount && (await spending.leftToday(context, asset.chainId, amount))
    return {
      ...{ did, service: bought.service, order, reused, paid: paid.map(amountView) },
      ...(payTo ? { payee: payTo } : {}),
      ...(left === undefined || !amount ? {} : { left: [{ token: amount.token, amount: left }] }),
      ...{ transactions: [], spent: spending.spent(), note: NOTE },
    }
  } catch (error) {
    // a signed payment counts until no block can accept it
    if (!isSigned || (error as { code?: unknown }).code === 'PAYMENT_EXPIRED') reservation?.release()
    throw error
  }
}

/** Keeps a receipt. The order holds without it. */
function keepIfPossible(receipt: SignedPurchaseReceipt): void {
  try {
    keepReceipt(receipt)
  } catch {
    // the provider's `purchase/{id}` has it as well
  }
}

/** Throws CommandError `OTHER_TOKEN` if the price is in another token than the chosen one, TidegateError `UNKNOWN_TOKEN`. */
async function assertToken(
  { client }: PurchaseOptions,
  { chainId, amount: { token, amount }, payTo }: PurchasePrice,
  payWith: string,
): Promise<void> {
  if ((await tokenNamed(client.context, chainId, payWith)) === token) return
  throw new CommandError('OTHER_TOKEN', `Not bought: the provider takes ${amount} of the token ${token} to ${payTo}.`)
}
