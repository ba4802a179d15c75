import type { Bought } from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { agreed } from './agreement.js'
import { fundsLines, priceLines, priceText, validityText } from './amounts.js'
import { assertTakesBytes } from './download/stream-target.js'
import { interrupted } from './output/prompts.js'
import { shown } from './output/text.js'
import { assertWithin, byAddress, type PurchaseRequest } from './purchase-request.js'
import { sellerText } from './sellers.js'
import type { WalletSession } from './session.js'
import { accepted } from './terms.js'

/** Shows the total price and the terms, asks, and buys at that price or not at all. With `payWith`, by one signed payment. Throws CommandError, TidegateError. */
export async function purchase(
  session: WalletSession,
  { payWith, ...request }: PurchaseRequest & { payWith: string | undefined },
): Promise<Bought> {
  if (payWith !== undefined) {
    const { signedPurchase } = await import('./signed-purchase.js')
    return signedPurchase(session, { ...request, payWith })
  }
  const { asset, service, quote, yes, acceptTerms: accept, maxPrice, again } = request
  const { client, out, signal } = session
  // standard output must accept the result
  assertTakesBytes(1, 'standard output')
  if (quote.price.type === 'unavailable')
    throw new CommandError('UNAVAILABLE', `${asset.did}: no exchange and no dispenser sells access to it now.`)
  if (quote.unusable)
    out.note(
      `order ${quote.unusable} can never be used: its quote had expired when it was mined. Ask the operator of the provider before you pay again.`,
    )
  const price = priceText(quote.price)
  const names = await client.verifiedPublishers({ signal })
  out.note(
    `${shown(asset.name)} (${asset.did})`,
    `  ${'Seller'.padEnd(12)} ${sellerText(asset, names)}`,
    ...priceLines(quote.price),
    ...fundsLines(await client.funds(quote)),
    `  ${'An order'.padEnd(12)} is valid ${validityText(service)}`,
    `  ${'Account'.padEnd(12)} ${session.address}`,
  )
  if (maxPrice) assertWithin(await byAddress(session, maxPrice, quote), quote)
  const acceptTerms = await accepted(session, { asset, accept, again })
  const message = quote.renews ? `Pay ${price} to renew the order?` : question(price)
  await agreed({ yes, message, otherwise: 'not bought', again: accept ? `${again} --accept-terms` : again })
  signal.throwIfAborted()
  const bought = await client.buy(quote, { onStep: out.step, acceptTerms })
  for (const transaction of bought.transactions) out.note(`mined: ${transaction}`)
  if (signal.aborted)
    throw interrupted(
      `interrupted after it was bought, by order ${bought.order}. Continue with: ${again}`,
      bought.transactions,
    )
  return bought
}

const question = (price: string) => (price === 'free' ? 'Order it?' : `Buy it for ${price}?`)
