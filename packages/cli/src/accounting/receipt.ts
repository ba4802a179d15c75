import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { Receipt, SignedPurchaseReceipt } from '@tidegate/client'
import type { Address, Hex } from 'viem'
import { timeText } from '../people/amounts.js'
import { forSigning, hash, whole } from '../people/options.js'
import { shown } from '../people/output/text.js'
import { keptReceipt } from '../people/purchase-receipts.js'
import { inSession, type PeopleOptions } from '../people/session.js'
import { paymentLines, saleJson } from './payments.js'

export const command = (finish: (code: number) => void) =>
  forSigning('receipt', 'tidegate receipt 0x41c2… --account 2')
    .description('Shows the receipt of an order: the asset, each payment with its receiver, and the end of the access.')
    .argument('<order>', 'the transaction of the order; TX:N for the Nth order of a transaction with several', orderOf)
    .option('--chain <id>', 'chain of the order (default: found by the provider)', whole)
    .action(async (order, options) => finish(await receipt(order, options)))

interface OrderInTransaction {
  tx: Hex
  number?: number
}

/** Parses TX or TX:N. Throws InvalidArgumentError. */
function orderOf(text: string): OrderInTransaction {
  const [tx = '', number, ...more] = text.split(':')
  if (number === undefined) return { tx: hash(tx) }
  if (!/^[1-9]\d{0,4}$/.test(number) || more.length > 0)
    throw new InvalidArgumentError('It must be a transaction, or TX:N with the number of the order from 1.')
  return { tx: hash(tx), number: Number(number) }
}

/** `tidegate receipt`. Returns the exit code. Throws CommandError, TidegateError. */
export async function receipt(
  { tx, number }: OrderInTransaction,
  options: PeopleOptions & { chain?: number },
): Promise<number> {
  const { chain: chainId, ...more } = options
  return inSession(more, 'reader', async ({ client, out, signal }) => {
    const found = await client.receipt(tx, { chainId, number, signal })
    const purchase = await keptReceipt(tx, found.payer)
    out.print(...receiptLines(found), ...(purchase ? purchaseLines(purchase) : []))
    out.result({ ...saleJson(found), ...(purchase ? { purchase } : {}) })
  })
}

/** Returns the lines of a kept receipt of a signed payment. */
function purchaseLines({ signer, nonce, settleTxId, terms }: SignedPurchaseReceipt & { signer: Address }): string[] {
  const facts: [string, string][] = [
    ['Signed by', `${signer}, the account that took the payment`],
    ['Payment', nonce],
    ['Settled by', settleTxId],
    ['Terms', terms === undefined ? '' : `accepted: SHA-256 ${terms}`],
  ]
  const lines = facts.filter(([, value]) => value !== '').map(([label, value]) => `  ${label.padEnd(14)} ${value}`)
  return ['', 'Bought by one signed payment', ...lines]
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
    number,
    ordersInTransaction: all,
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
    ['Order', all > 1 ? `${number} of ${all} of this transaction; for another one: tidegate receipt TX:N` : ''],
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
