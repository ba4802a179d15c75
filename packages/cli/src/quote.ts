import { type Quote, sellerOf } from '@tidegate/client'
import { amountJson, fundsJson, fundsLines, priceJson, priceLines, validityText } from './people/amounts.js'
import { fileOf, serviceOf } from './people/assets.js'
import { readQuote } from './people/credentials/presentation.js'
import { address, did, FILE, forSigning, SERVICE, type WhichFile } from './people/options.js'
import { shown } from './people/output/text.js'
import { sellerText, withVerified } from './people/sellers.js'
import { inSession, type PeopleOptions } from './people/session.js'

export const command = (finish: (code: number) => void) =>
  forSigning('quote', 'tidegate quote did:op:0c46… --account 2')
    .description('Shows the total price of an order: datatoken, exchange fees and provider fee. Pays nothing.')
    .argument('<did>', 'the asset', did)
    .option(...SERVICE)
    .option(...FILE)
    .option('--consumer <address>', 'receiver of the files (default: the account)', address)
    .action(async (did, options) => finish(await quote(did, options)))

interface QuoteOptions extends PeopleOptions {
  service?: string
  file?: WhichFile
  consumer?: `0x${string}`
}

/** `tidegate quote`. Returns the exit code. Throws CommandError, TidegateError. */
export async function quote(
  did: string,
  { service: id, file: which, consumer, ...options }: QuoteOptions,
): Promise<number> {
  return inSession(options, 'reader', async (session) => {
    const { client, out, signal } = session
    const [asset, names] = await withVerified(client, signal, client.asset(did, { signal }))
    const service = serviceOf(asset, id)
    const file = which === undefined ? undefined : fileOf(service, which)
    const quoted = await readQuote(session, did, { service: service.id, file, consumer })
    out.print(
      `${shown(asset.name)} (${did}), service ${shown(service.id)}`,
      `  ${'Seller'.padEnd(12)} ${sellerText(asset, names)}`,
    )
    if (quoted.order) out.print(`  nothing to pay: order ${quoted.order} is still valid`)
    if (quoted.unusable)
      out.note(
        `order ${quoted.unusable} can never be used: its quote had expired when it was mined. Ask the operator of the provider before you pay again.`,
      )
    if (quoted.presents)
      out.print(
        `  ${'Credentials'.padEnd(12)} are asked for: \`tidegate get\` and \`tidegate buy\` start their presentation`,
      )
    const funds = quoted.order ? undefined : await client.funds(quoted)
    if (funds)
      out.print(
        ...priceLines(quoted.price),
        ...fundsLines(funds),
        `  ${'An order'.padEnd(12)} is valid ${validityText(service)}`,
      )
    out.result({ ...quoteJson(quoted), seller: sellerOf(asset, names), ...(funds ? fundsJson(funds) : {}) })
  })
}

function quoteJson({
  did,
  service,
  file,
  price,
  order,
  renews,
  unusable,
  presents,
  consumer,
  datatoken,
  chainId,
}: Quote) {
  const about = { did, service, ...(file === undefined ? {} : { file }), chainId, datatoken, consumer }
  const standing = {
    ...(order ? { order } : {}),
    ...(renews ? { renews } : {}),
    ...(unusable ? { unusable } : {}),
    ...(presents ? { presents } : {}),
  }
  return { ...about, total: price.total.map(amountJson), price: priceJson(price), ...standing }
}
