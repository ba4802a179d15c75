import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Bought, Tidegate } from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { amountView, type Input, type Output } from '@tidegate/provider/mcp'
import { agreedTerms } from './agreed-terms.js'
import { credentialsNeeded } from './credentials.js'
import { purchaseOf } from './reservations.js'
import { signedPurchase } from './signed-purchase.js'
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

/**
 * Buys for an agent, one purchase after the other: transactions have consecutive nonces, and a provider that answers slowly gets one payment.
 */
export class Purchases {
  private last: Promise<unknown> = Promise.resolve()
  /** Assets with a purchase in progress: a second one would pay twice. */
  private readonly running = new Set<string>()

  constructor(private readonly options: PurchaseOptions) {}

  /** Buys an order, or returns a valid one. Throws CommandError, TidegateError. */
  async buy(wanted: Input<'buy'>, signal: AbortSignal): Promise<Output<'buy'>> {
    const { did, payWith } = wanted
    if (this.running.has(did)) throw new CommandError('PURCHASE_RUNNING', 'A purchase of this asset is in progress.')
    this.running.add(did)
    try {
      if (payWith === undefined) return await this.agreed(wanted, signal)
      return await this.inTurn(() => signedPurchase(this.options, { ...wanted, payWith }, signal), signal)
    } finally {
      this.running.delete(did)
    }
  }

  /** Waits until no purchase is in progress. */
  async settled(): Promise<void> {
    await this.last
  }

  private async agreed({ did, service, file }: Input<'buy'>, signal: AbortSignal): Promise<Output<'buy'>> {
    const { client, spending } = this.options
    const since = Date.now()
    const quote = await client.quote(did, { service, file })
    if (quote.presents) throw credentialsNeeded(did)
    if (quote.order)
      return this.result({ did, service: quote.service, order: quote.order, reused: true, paid: [], transactions: [] })
    if (quote.price.type === 'unavailable' && !quote.renews)
      throw new CommandError('UNAVAILABLE', 'No exchange and no dispenser sells access to the asset now.')
    await spending.assertUnpaid(client.context, { purchase: purchaseOf(client.context, quote), since })
    const reservation = await spending.reserve(client.context, quote)
    try {
      const asset = await client.asset(did, { signal })
      const acceptTerms = await agreedTerms(this.options, { asset, quote, account: this.options.account }, signal)
      const bought = await this.inTurn(() => client.buy(quote, { acceptTerms }), signal)
      if (bought.reused) reservation.release()
      return this.result(bought)
    } catch (error) {
      // sent transactions may still be mined
      if (((error as { transactions?: readonly string[] }).transactions ?? []).length === 0) reservation.release()
      throw error
    }
  }

  private inTurn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const done = this.last.then(() => {
      // the client may have cancelled the call meanwhile
      signal.throwIfAborted()
      return work()
    })
    this.last = done.catch(() => undefined)
    return done
  }

  private result({ did, service, order, reused, paid, transactions }: Bought): Output<'buy'> {
    const due = paid.filter(({ units }) => units > 0n).map(amountView)
    return { did, service, order, reused, paid: due, transactions, spent: this.options.spending.spent(), note: NOTE }
  }
}
