import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  type Amount,
  type Asset,
  type Context,
  type Quote,
  sellerOf,
  type Terms,
  type TermsText,
  tokens,
  type VerifiedPublishers,
  verifiedPublishers,
} from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { plainLine, plainText } from '@tidegate/provider/mcp'
import { CLI_LIMITS } from '../../limits.js'
import { validityText } from '../amounts.js'

const { answer: PATIENCE, terms: TERMS } = CLI_LIMITS.agent
/** Characters of a publisher's name of an asset. */
const NAME = 120

/** What the user is asked about. */
export interface Question {
  asset: Asset
  quote: Pick<Quote, 'chainId' | 'service' | 'price' | 'renews'>
  account: string
  /** The payment, if it is by one signature. `left`: the rest of the limit of the day after it. */
  payment?: { payTo: string; left: string | undefined }
  /** Terms that the purchase accepts. Only the provider's own documents have their text. */
  terms: Terms | TermsText | undefined
}

/** Asks the user by the client's elicitation. Throws CommandError `NOT_CONFIRMED` unless the user accepts. */
export async function confirm(
  { server }: McpServer,
  context: Context,
  question: Question,
  signal: AbortSignal,
): Promise<void> {
  if (server.getClientCapabilities()?.elicitation === undefined)
    throw new CommandError(
      'NOT_CONFIRMED',
      'Not bought: this client cannot ask its user. Only the user can start `tidegate mcp` with --yes instead.',
    )
  const message = await messageOf(context, question)
  const requestedSchema = { type: 'object' as const, properties: {} }
  const { action } = await server.elicitInput({ message, requestedSchema }, { timeout: PATIENCE, signal })
  if (action !== 'accept') throw new CommandError('NOT_CONFIRMED', 'Not bought: the user did not agree.')
}

/** Facts come first, and a stranger's text comes last in one line: it cannot look like a price. */
async function messageOf(context: Context, { asset, quote, account, terms, payment }: Question): Promise<string> {
  const [list, names] = await Promise.all([tokens(context, quote.chainId), verifiedPublishers(context)])
  const symbols = new Map(Object.entries(list).map(([symbol, address]) => [address.toLowerCase(), symbol]))
  const text = ({ amount, token, symbol }: Amount) => {
    const known = symbols.get(token.toLowerCase())
    return `${amount} ${known ?? `of an unknown token that calls itself "${plainLine(symbol, 20)}"`} (token ${token})`
  }
  const { price, service: id, renews } = quote
  const due = price.total.filter(({ units }) => units > 0n)
  const service = asset.services.find((one) => one.id === id)
  return [
    renews ? 'Renew the order of this asset?' : 'Buy access to this asset?',
    `Price: ${due.map(text).join(' and ') || 'free'}${payment ? '; no gas' : ', and gas'}`,
    ...(payment
      ? [
          `Paid to: ${payment.payTo}, the account of the provider, by a signature that can be used for some minutes`,
          `Left of --max-day afterwards: ${payment.left}`,
        ]
      : []),
    ...(price.providerFee ? [`The price includes the fee of the provider: ${text(price.providerFee)}`] : []),
    ...(service ? [`An order is valid ${validityText(service)}`] : []),
    `Account: ${account}`,
    `Asset: ${asset.did}`,
    `Seller: ${sellerLine(asset, names)}`,
    `Its publisher calls it: "${plainLine(asset.name, NAME)}"`,
    ...(terms ? termsLines(terms) : []),
  ].join('\n')
}

/** Tells the account, and what the operator of the provider has verified; never the author, which anybody may write. */
function sellerLine(asset: Asset, names: VerifiedPublishers): string {
  const { account, describedBy, verified, imitates } = sellerOf(asset, names)
  const facts = [
    verified !== undefined && `the operator of the provider has verified it as "${plainLine(verified, NAME)}"`,
    imitates !== undefined && `NOT from the verified publisher "${plainLine(imitates, NAME)}"`,
    describedBy && `described by ${describedBy}`,
  ]
  return [account, ...facts.filter(Boolean)].join(', ')
}

/** Terms are strangers' text: each line is marked, so that none looks like a fact of the question. */
function termsLines(terms: Terms | TermsText): string[] {
  const { url, sha256 } = terms
  const shown = 'text' in terms && terms.text !== undefined ? plainText(terms.text, TERMS).split('\n') : []
  return [
    'To accept is to accept the terms of the publisher as well:',
    `Terms: ${plainLine(url, 500)}`,
    `SHA-256 of the terms: ${sha256}`,
    ...shown.map((line) => `> ${line}`),
  ]
}
