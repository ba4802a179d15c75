import { AccessError, AssetError, OrderError, PurchaseError, ValidationError } from '@tidegate/protocol'
import type { Purchase, Reason } from '../purchase.js'
import { readPublishFee } from '../shop/offer.js'
import { buyingPlan, feeIn, type Ordered, startingPlan } from '../shop/order-calls.js'
import type { OrderPlan, Shop } from '../shop/shop.js'
import type { QuotedSale, Seller } from './seller.js'
import { offerFor, type TermsTools, termsOf } from './terms.js'

/** Kinds of errors after which the same may succeed. */
const PASSING: readonly string[] = ['unavailable', 'chain', 'limited', 'storage', 'storageTimeout']

/** Plans the orders of paid purchases from what the service and the chain tell now. */
export function market(seller: Seller, tools: TermsTools): Shop {
  const planned = async (purchase: Purchase, isBought: boolean): Promise<OrderPlan | Reason> => {
    const { wanted, payment, datatoken } = purchase
    const quoted = await seller.quote(wanted, payment.payer)
    if (quoted.chainId !== payment.chainId || quoted.datatoken !== datatoken) return 'NOT_FOR_SALE'
    const ordered = { consumer: payment.payer, serviceIndex: quoted.serviceIndex, fee: quoted.fee }
    if (isBought) return started(purchase, quoted, ordered)
    const { offer, providerFee } = termsOf(quoted, await offerFor(datatoken, tools), tools)
    return offer.token === payment.token ? buyingPlan(offer, ordered, providerFee) : 'NOT_FOR_SALE'
  }
  const started = async ({ payment: { token }, datatoken }: Purchase, { fee }: QuotedSale, ordered: Ordered) => {
    const publishFee = await readPublishFee(tools.chain, datatoken, token)
    const providerFee = feeIn(token, fee)
    if (publishFee === undefined || providerFee === undefined) return 'PRICE_CHANGED'
    return startingPlan(datatoken, token, ordered, publishFee + providerFee)
  }
  return {
    plan: (purchase, isBought) =>
      planned(purchase, isBought).catch((error: unknown) => {
        const reason = reasonOf(error)
        if (reason === undefined) throw error
        return reason
      }),
  }
}

/** Returns why an order cannot be made; undefined for an error after which it may be later. */
function reasonOf(error: unknown): Reason | undefined {
  if (error instanceof AccessError) return PASSING.includes(error.kind) ? undefined : 'DENIED'
  const isAbout = [AssetError, OrderError, PurchaseError, ValidationError].some((kind) => error instanceof kind)
  return isAbout && !PASSING.includes((error as OrderError).kind) ? 'NOT_FOR_SALE' : undefined
}
