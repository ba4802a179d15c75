import { withDeadline } from '@tidegate/common'
import { PurchaseError, StartError } from '@tidegate/protocol'
import { transactionAccount } from '@tidegate/protocol/keys'
import type { DeskChain, PurchaseDesk, QuotedSale, Seller, WaitingPurchases, Wanted } from '@tidegate/purchases'
import type { Address } from 'viem'
import { isInDatatoken } from '../access/files/datatoken-files.js'
import { describePublished } from '../access/files/describe-files.js'
import { completeUserdata } from '../access/parameters.js'
import { openService } from '../access/service.js'
import { forChain } from '../config/parsers/chains.js'
import type { Settings } from '../config/schema.js'
import type { Services } from '../http/services.js'
import { PROVIDER_LIMITS } from '../limits.js'
import { quoteOrder } from '../orders/quote-order.js'
import type { Base } from './base.js'
import type { BackgroundTask } from './lifecycle.js'

/** What the sale of an order needs of the service. */
type SellingParts = Pick<Services, 'access' | 'files' | 'health' | 'catalog'>

interface OpenedPurchases {
  /** Undefined if PURCHASES is off. */
  desk: PurchaseDesk | undefined
  tasks: BackgroundTask[]
  /** Returns the purchases whose payers wait, by chain. */
  waiting(): Promise<WaitingPurchases[]>
}

const GWEI = 10n ** 9n

/** Opens the desk of purchases, and the cashier of each chain. Off, nothing of it is loaded. Throws StartError. */
export async function openPurchases(settings: Settings, base: Base, parts: SellingParts): Promise<OpenedPurchases> {
  const { PURCHASE_PRIVATE_KEY: key, PURCHASE_TOKENS: tokens } = settings
  if (settings.PURCHASES === 'off' || !key || !tokens) return { desk: undefined, tasks: [], waiting: async () => [] }
  const { store, chains, log } = base
  const shared = [...chains.values()].find(({ keys }) => keys.some(({ address }) => address === key.address))
  if (shared) throw new StartError([`PURCHASE_PRIVATE_KEY: must not be a provider key, as on chain ${shared.chainId}.`])
  const unserved = [...tokens.byChain.keys()].filter((chainId) => !chains.has(chainId))
  if (unserved.length > 0) throw new StartError([`PURCHASE_TOKENS: chain ${unserved.join(', ')} is not served.`])
  const { Cashier, CashierTask, evmChain, market, PurchaseDesk, purchaseStore, slotStore } = await import(
    '@tidegate/purchases'
  )
  const account = await transactionAccount(key)
  const seller = sellerOf(settings, parts)
  const purchases = purchaseStore(store.driver)
  const { PURCHASE_GAS_FEE: gasFee, PURCHASE_DAILY_LIMIT: daily } = settings
  const ceiling = BigInt(settings.PURCHASE_MAX_GAS_PRICE) * GWEI
  const tasks: BackgroundTask[] = []
  const deskChains = new Map<number, DeskChain>()
  for (const [chainId, accepted] of tokens.byChain) {
    const chain = chains.get(chainId)
    if (!chain) continue
    const confirmations = forChain(settings.PURCHASE_CONFIRMATIONS, chainId) ?? PROVIDER_LIMITS.purchases.confirmations
    const paying = evmChain({ chain, account, confirmations })
    const tools = { chain, accepted, gasFee }
    const slots = slotStore(store.driver, { chainId, account: account.address })
    const cashier = new Cashier({ chain: paying, purchases, slots, shop: market(seller, tools), ceiling, log })
    tasks.push(new CashierTask({ chainId, cashier, leads: () => store.driver.tryLead(`purchases ${chainId}`), log }))
    deskChains.set(chainId, { ...tools, paying, signer: account, daily, ceiling })
  }
  return {
    desk: new PurchaseDesk({ seller, purchases, chains: deskChains }),
    tasks,
    waiting: () => purchases.waiting(),
  }
}

/** Returns the service as the seller of orders: quotes as `initialize` does. */
function sellerOf({ PROVIDER_FEES: rules }: Settings, { access, files, health, catalog }: SellingParts): Seller {
  // a purchase is paid, or limits of the route count the request
  const unlimited = { countFile: () => undefined, spend: () => undefined, assertBytesLeft: () => undefined }
  return {
    quote: (wanted: Wanted, consumer: Address | undefined): Promise<QuotedSale> =>
      withDeadline({ milliseconds: PROVIDER_LIMITS.purchases.quoting }, async (signal) => {
        const { did: documentId, service: serviceId, file: fileIndex } = wanted
        const opened = await openService(access, documentId, serviceId)
        // a purchase has no userdata, and its link would open nothing
        completeUserdata(opened.service.consumerParameters, undefined)
        if (isInDatatoken(opened.service))
          throw new PurchaseError('NOT_OFFERED', 'The datatoken gives its files for a signature: order it yourself.')
        const deadline = {
          signal,
          get aborted() {
            return signal.aborted
          },
        }
        const quote = await quoteOrder(
          { documentId, serviceId, fileIndex, consumer },
          {
            ...{ access, health, rules, publisherOf: catalog.publisherOf, signal },
            describe: (service, index) =>
              describePublished(files.descriptions, service, index, { deadline, ...unlimited }),
          },
        )
        // without an earlier order there is no valid one
        if ('validOrder' in quote) throw new Error('a quote without a transaction named one')
        // the payer may present nothing, and the money would be gone
        if (quote.policyServer !== undefined)
          throw new PurchaseError(
            'NOT_OFFERED',
            'The service is for consumers who present credentials: order it yourself.',
          )
        const { chainId, datatoken, providerFee: fee } = quote
        return { chainId, datatoken, serviceIndex: opened.index, fee }
      }),
  }
}
