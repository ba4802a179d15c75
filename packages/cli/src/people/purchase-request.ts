import type { Asset, AssetService, Quote } from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { priceText, unitsOf } from './amounts.js'
import type { Cap } from './options.js'
import type { WalletSession } from './session.js'

export interface PurchaseRequest {
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

/** Returns a cap with the address of its token. Throws TidegateError `UNKNOWN_TOKEN`. */
export async function byAddress(
  { client }: WalletSession,
  cap: Cap,
  { chainId }: Pick<Quote, 'chainId'>,
): Promise<Cap> {
  if (cap.token === undefined) return cap
  const { tokenNamed } = await import('@tidegate/client')
  return { ...cap, token: await tokenNamed(client.context, chainId, cap.token) }
}

/** Throws CommandError `PRICE_TOO_HIGH` for a price above the cap, or with a part in a token that the cap does not name. */
export function assertWithin({ amount, token }: Cap, { price }: Pick<Quote, 'price'>): void {
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
