import type { Address, Hex } from 'viem'
import { Tokens } from '../buying/price.js'
import { type Contracts, contractsOf } from '../chain/contracts.js'
import { summed } from '../chain/erc20.js'
import { type Moment, momentOf } from '../chain/moment.js'
import { receiptOf } from '../chain/receipts.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import { ordersIn, type PaidOrder, type Part } from './orders-in.js'
import type { Paid } from './types.js'

/** Reads the payments of orders from the receipts of their transactions. */
export class PaymentReader {
  private readonly tokens: Tokens

  private constructor(
    readonly moment: Moment,
    private readonly contracts: Contracts,
    private readonly chainId: number,
  ) {
    this.tokens = new Tokens(moment)
  }

  /** Throws TidegateError `CHAIN_UNREACHABLE`, `WRONG_NETWORK`, `NO_CONTRACTS`. */
  static async of(context: Context, chainId: number): Promise<PaymentReader> {
    const moment = await momentOf(context, chainId)
    return new PaymentReader(moment, await contractsOf(context, chainId, moment), chainId)
  }

  /** Returns the orders of datatokens in a transaction. Throws TidegateError `UNKNOWN_TRANSACTION`, `CHAIN_UNREACHABLE`. */
  async ordersOf(hash: Hex, datatokens: readonly Address[]): Promise<PaidOrder[]> {
    const receipt = await receiptOf(this.moment, hash)
    if (receipt) return ordersIn(receipt.logs, this.contracts, new Set(datatokens))
    throw new TidegateError(
      'UNKNOWN_TRANSACTION',
      `order: chain ${this.chainId} has no transaction ${hash}, or its node does not keep it.`,
    )
  }

  /** Returns the orders of datatokens in their transactions, by hash. Reads a few receipts at once. */
  async ordersOfAll(
    rows: readonly { tx: Hex; datatoken: Address }[],
    signal?: AbortSignal,
  ): Promise<Map<Hex, PaidOrder[]>> {
    const found = new Map<Hex, PaidOrder[]>()
    const wanted = new Map<Hex, Address[]>()
    for (const { tx, datatoken } of rows) wanted.set(tx, [...(wanted.get(tx) ?? []), datatoken])
    const left = [...wanted]
    const readNext = async (): Promise<void> => {
      for (let next = left.pop(); next; next = left.pop()) {
        signal?.throwIfAborted()
        found.set(next[0], await this.ordersOf(...next))
      }
    }
    await Promise.all(Array.from({ length: LIMITS.receipts }, readNext))
    return found
  }

  /** Returns the amounts of an order, with the symbols of their tokens. */
  async paid({ source, parts }: Pick<PaidOrder, 'source' | 'parts'>): Promise<Paid> {
    const payments = await Promise.all(parts.map((part) => this.payment(part)))
    return { source, payments, total: summed(payments.map(({ amount }) => amount)) }
  }

  private async payment({ to, token, units, receiver }: Part) {
    return { to, amount: await this.tokens.amount(token, units), ...(receiver ? { receiver } : {}) }
  }
}
