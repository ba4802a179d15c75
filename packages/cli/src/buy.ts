import { misuse } from '@tidegate/provider/commands/failures'
import { amountJson, amountText } from './people/amounts.js'
import { fileOf, serviceOf } from './people/assets.js'
import { presentIfAsked, readQuote } from './people/credentials/presentation.js'
import { commandOf } from './people/download/repeat.js'
import {
  ACCEPT_TERMS,
  address,
  type Cap,
  did,
  FILE,
  forSigning,
  MAX_PRICE,
  PAY_WITH,
  SERVICE,
  type WhichFile,
  YES,
} from './people/options.js'
import { purchase } from './people/purchase.js'
import { inSession, type PeopleOptions } from './people/session.js'

export const command = (finish: (code: number) => void) =>
  forSigning('buy', 'tidegate buy did:op:0c46… --keystore wallet.json')
    .description('Shows the price of a service, asks, and buys access. A valid order is used again.')
    .argument('<did>', 'the asset', did)
    .option(...SERVICE)
    .option(...FILE)
    .option('--consumer <address>', 'receiver of the files (default: the account)', address)
    .option(...MAX_PRICE)
    .option(...PAY_WITH)
    .option(...ACCEPT_TERMS)
    .option(...YES)
    .action(async (did, options) => finish(await buy(did, options)))

interface BuyOptions extends PeopleOptions {
  service?: string
  file?: WhichFile
  consumer?: `0x${string}`
  maxPrice?: Cap
  payWith?: string
  acceptTerms?: true
  yes?: true
}

/** `tidegate buy`. Returns the exit code. Throws CommandError, TidegateError. */
export async function buy(
  did: string,
  { service: id, file: which, consumer, maxPrice, payWith, acceptTerms, yes, ...options }: BuyOptions,
): Promise<number> {
  if (payWith !== undefined && consumer !== undefined)
    throw misuse('--pay-with orders for the account that pays: use it without --consumer.')
  return inSession(options, 'wallet', async (session) => {
    const { client, out, signal } = session
    const asset = await client.asset(did, { signal })
    const service = serviceOf(asset, id)
    const file = which === undefined ? undefined : fileOf(service, which)
    const asked = await readQuote(session, did, { service: service.id, file, consumer })
    const quote = await presentIfAsked(session, asked, payWith)
    const capped = maxPrice ? ` --max-price ${[maxPrice.amount, maxPrice.token].filter(Boolean).join(':')}` : ''
    const chosen = file === undefined ? '' : ` --file ${file}`
    const paying = payWith === undefined ? '' : ` --pay-with ${payWith}`
    const again = `tidegate buy ${did}${chosen}${capped}${paying}`
    const bought = quote.order
      ? { did, service: service.id, order: quote.order, reused: true, paid: [], transactions: [] }
      : await purchase(session, { asset, service, quote, yes, acceptTerms, maxPrice, payWith, again })
    const paid = bought.paid.filter(({ units }) => units > 0n)
    if (bought.reused) out.print(`nothing to pay: order ${bought.order} is still valid`)
    else out.print(`bought by order ${bought.order}, for ${paid.map(amountText).join(' and ') || 'nothing'}`)
    // another receiver downloads with an account of its own
    const holder = consumer ? {} : { account: options.account, keystore: options.keystore }
    const get = commandOf(did, { ...(file === undefined ? {} : { file }), ...(id ? { service: id } : {}), ...holder })
    // on standard error: the buyer needs it if standard output fails
    out.note(`Order ${bought.order}. Download with: ${get}`)
    out.result({ ...bought, paid: bought.paid.map(amountJson) })
  })
}
