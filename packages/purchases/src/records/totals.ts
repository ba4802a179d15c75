import type { Address } from 'viem'
import { heldOf, type Obstacle, owedOf, type Purchase } from '../purchase.js'

/** What a token's purchases on a chain come to. Amounts are in its smallest unit: `paid` = `spent` + `refunded` + `kept` + `held`. */
export interface PurchaseTotals {
  chainId: number
  token: Address
  purchases: Record<'ordered' | 'refunded' | 'failed' | 'waiting', number>
  /** What has arrived. */
  paid: bigint
  /** What went to orders. */
  spent: bigint
  refunded: bigint
  /** What the service keeps for gas. */
  kept: bigint
  /** What the account owes to payers. */
  held: bigint
  /** The purchases whose next step waits, oldest first. */
  obstructed: ObstructedPurchase[]
}

/** A purchase whose next step waits. */
export interface ObstructedPurchase extends Pick<Purchase, 'id' | 'state' | 'reason' | 'createdAt'> {
  payer: Address
  obstacle: Obstacle
}

/** Returns the totals of purchases by chain and token, in the order of their first purchase. */
export async function purchaseTotals(purchases: AsyncIterable<Purchase>): Promise<PurchaseTotals[]> {
  const found = new Map<string, PurchaseTotals>()
  for await (const purchase of purchases) {
    const { chainId, token } = purchase.payment
    const key = `${chainId} ${token}`
    const totals = found.get(key) ?? emptyTotals(chainId, token)
    found.set(key, totals)
    addTo(totals, purchase)
  }
  return [...found.values()]
}

function emptyTotals(chainId: number, token: Address): PurchaseTotals {
  const purchases = { ordered: 0, refunded: 0, failed: 0, waiting: 0 }
  return { chainId, token, purchases, paid: 0n, spent: 0n, refunded: 0n, kept: 0n, held: 0n, obstructed: [] }
}

function addTo(totals: PurchaseTotals, purchase: Purchase): void {
  const { id, state, reason, createdAt, obstacle, paid, spent, refunded } = purchase
  totals.purchases[state === 'received' || state === 'settled' ? 'waiting' : state] += 1
  totals.paid += paid
  totals.spent += spent
  totals.refunded += refunded
  const held = owedOf(purchase)
  totals.held += held
  totals.kept += heldOf(purchase) - held
  if (purchase.isOpen && obstacle)
    totals.obstructed.push({ id, payer: purchase.payment.payer, state, reason, obstacle, createdAt })
}
