import type { Asset, AssetService, Bought, Quote } from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { agreed } from './agreement.js'
import { fundsLines, priceLines, priceText, unitsOf, validityText } from './amounts.js'
import { assertTakesBytes } from './download/stream-target.js'
import type { Cap } from './options.js'
import { interrupted } from './output/prompts.js'
import { shown } from './output/text.js'
import { sellerText } from './sellers.js'
import type { WalletSession } from './session.js'
import { accepted } from './terms.js'

interface Purchase {
  asset: Asset
  service: AssetService
  quote: Quote
  /** Whether to buy without a question. */
  yes: true | undefined
  /** Whether to accept the terms without a question. */
  acceptTerms: true | undefined
  /** Highest price; unlimited by default. */
  maxPrice: Cap | undefined
  /** The command line that repeats or resumes the purchase. */
  again: string
}

/** Shows the total price and the terms, asks, and buys at that price or not at all. Throws CommandError, TidegateError. */
export async function purchase(
  session: WalletSession,
  { asset, service, quote, yes, acceptTerms: accept, maxPrice, again }: Purchase,
): Promise<Bought> {
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

/** Returns a cap with the address of its token. Throws TidegateError `UNKNOWN_TOKEN`. */
async function byAddress({ client }: WalletSession, cap: Cap, { chainId }: Quote): Promise<Cap> {
  if (cap.token === undefined) return cap
  const { tokenNamed } = await import('@tidegate/client')
  return { ...cap, token: await tokenNamed(client.context, chainId, cap.token) }
}

/** Throws CommandError `PRICE_TOO_HIGH` for a price above the cap, or with a part in a token that the cap does not name. */
function assertWithin({ amount, token }: Cap, { price }: Quote): void {
  const total = price.total.filter(({ units }) => units > 0n)
  const refused = (why: string) =>
    new CommandError('PRICE_TOO_HIGH', `not bought: the price is ${priceText(price)}, ${why}`)
  // symbols are the tokens' own claims: only an address identifies one of several
  if (token === undefined && total.length > 1)
    throw refused('in more than one token, which --max-price AMOUNT does not cap.')
  for (const part of total) {
    if (token !== undefined && part.token.toLowerCase() !== token.toLowerCase())
      throw refused(`of which --max-price does not cap the token ${part.token}.`)
    if (part.units > unitsOf(amount, part.decimals)) throw refused(`more than --max-price ${amount}.`)
  }
}

const question = (price: string) => (price === 'free' ? 'Order it?' : `Buy it for ${price}?`)
