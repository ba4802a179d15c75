import type { Receipt } from '@tidegate/client'
import { timeText } from '../people/amounts.js'
import { forSigning, hash, whole } from '../people/options.js'
import { shown } from '../people/output/text.js'
import { inSession, type PeopleOptions } from '../people/session.js'
import { paymentLines, saleJson } from './payments.js'

export const command = (finish: (code: number) => void) =>
  forSigning('receipt', 'tidegate receipt 0x41c2… --account 2')
    .description('Shows the receipt of an order: the asset, each payment with its receiver, and the end of the access.')
    .argument('<order>', 'the transaction of the order', hash)
    .option('--chain <id>', 'chain of the order (default: found by the provider)', whole)
    .action(async (order, options) => finish(await receipt(order, options)))

/** `tidegate receipt`. Returns the exit code. Throws CommandError, TidegateError. */
export async function receipt(order: `0x${string}`, options: PeopleOptions & { chain?: number }): Promise<number> {
  const { chain: chainId, ...more } = options
  return inSession(more, 'reader', async ({ client, out, signal }) => {
    const found = await client.receipt(order, { chainId, signal })
    out.print(...receiptLines(found))
    out.result(saleJson(found))
  })
}

/** Returns the accepted terms, compared with the present ones. */
function termsText(terms: Receipt['terms']): string {
  if (!terms) return ''
  const now = terms.isCurrent ? 'these are the current terms' : 'the terms have changed since'
  return `accepted: SHA-256 ${terms.sha256}${terms.isCurrent === undefined ? '' : `; ${now}`}`
}

function receiptLines(receipt: Receipt): string[] {
  const {
    tx,
    chainId,
    did,
    name,
    service = '',
    serviceName,
    publisher,
    consumer,
    payer,
    time,
    renews,
    terms,
    expires,
  } = receipt
  const title = serviceName ? `${shown(service)} "${shown(serviceName)}"` : shown(service)
  const end = expires ? timeText(expires) : service ? 'forever' : 'unknown: the asset is not available now'
  const facts: [string, string][] = [
    ['Asset', shown(name)],
    ['DID', did],
    ['Service', title],
    ['Publisher', publisher ?? ''],
    ['Buyer', consumer],
    ['Paid by', payer],
    ['Time', timeText(time)],
    ['Valid until', end],
    ['Renews', renews ?? ''],
    ['Terms', termsText(terms)],
    ['Transaction', tx],
    ['Chain', `${chainId}`],
  ]
  return [
    `Receipt of order ${tx}`,
    '',
    ...facts.filter(([, value]) => value !== '').map(([label, value]) => `  ${label.padEnd(14)} ${value}`),
    '',
    ...paymentLines(receipt),
  ]
}
