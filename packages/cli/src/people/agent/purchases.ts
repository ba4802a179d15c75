import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Asset, Bought, Quote, TermsText, Tidegate } from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { amountView, type Input, type Output } from '@tidegate/provider/mcp'
import { confirm } from './confirm.js'
import type { Spending } from './spending.js'

export interface PurchaseOptions {
  server: McpServer
  client: Tidegate
  /** The account that pays. */
  account: string
  spending: Spending
  /** Whether to buy without a question. */
  yes: true | undefined
  /** Whether to accept terms without a question. */
  acceptTerms: true | undefined
}

const NOTE = 'Amounts include all fees except gas. Download with `get`.'

/** Buys for an agent, one purchase after the other: their transactions have consecutive nonces. */
export class Purchases {
  private last: Promise<unknown> = Promise.resolve()
  /** Assets with a purchase in progress: a second one would pay twice. */
  private readonly running = new Set<string>()

  constructor(private readonly options: PurchaseOptions) {}

  /** Buys an order, or returns a valid one. Throws CommandError, TidegateError. */
  async buy(wanted: Input<'purchase'>, signal: AbortSignal): Promise<Output<'buy'>> {
    const { did } = wanted
    if (this.running.has(did)) throw new CommandError('PURCHASE_RUNNING', 'A purchase of this asset is in progress.')
    this.running.add(did)
    try {
      return await this.agreed(wanted, signal)
    } finally {
      this.running.delete(did)
    }
  }

  /** Waits until no purchase is in progress. */
  async settled(): Promise<void> {
    await this.last
  }

  private async agreed({ did, service, file }: Input<'purchase'>, signal: AbortSignal): Promise<Output<'buy'>> {
    const { client, server, account, spending, yes } = this.options
    const quote = await client.quote(did, { service, file })
    if (quote.order)
      return this.result({ did, service: quote.service, order: quote.order, reused: true, paid: [], transactions: [] })
    if (quote.price.type === 'unavailable' && !quote.renews)
      throw new CommandError('UNAVAILABLE', 'No exchange and no dispenser sells access to the asset now.')
    const reservation = await spending.reserve(client.context, quote)
    try {
      const asset = await client.asset(did, { signal })
      // the provider's own documents are shown; others are requested after the user's consent alone
      const shown = yes || !asset.terms?.isHere ? undefined : await client.terms(did, { signal })
      if (!yes) await confirm(server, client.context, { asset, quote, account, terms: shown ?? asset.terms }, signal)
      const terms = shown ?? (await this.acceptedTerms(asset, signal))
      const bought = await this.inTurn(quote, terms?.sha256, signal)
      if (bought.reused) reservation.release()
      return this.result(bought)
    } catch (error) {
      // sent transactions may still be mined
      if (((error as { transactions?: readonly string[] }).transactions ?? []).length === 0) reservation.release()
      throw error
    }
  }

  private inTurn(quote: Quote, acceptTerms: string | undefined, signal: AbortSignal): Promise<Bought> {
    const { client } = this.options
    const bought = this.last.then(() => {
      // the client may have cancelled the call meanwhile
      signal.throwIfAborted()
      return client.buy(quote, { acceptTerms })
    })
    this.last = bought.catch(() => undefined)
    return bought
  }

  /** Returns the terms that a purchase accepts; undefined without terms. Throws CommandError `TERMS_NOT_ACCEPTED`. */
  private async acceptedTerms({ did, terms }: Asset, signal: AbortSignal): Promise<TermsText | undefined> {
    const { client, yes, acceptTerms } = this.options
    if (!terms) return undefined
    if (yes && !acceptTerms)
      throw new CommandError(
        'TERMS_NOT_ACCEPTED',
        'Not bought: the asset has terms. Only the user can start `tidegate mcp` without --yes, or with --accept-terms.',
      )
    return client.terms(did, { signal })
  }

  private result({ did, service, order, reused, paid, transactions }: Bought): Output<'buy'> {
    const due = paid.filter(({ units }) => units > 0n).map(amountView)
    return { did, service, order, reused, paid: due, transactions, spent: this.options.spending.spent(), note: NOTE }
  }
}
