import { setTimeout as sleep } from 'node:timers/promises'
import { createTidegate, TidegateError } from '@tidegate/client'
import { createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Buyer } from '../../../packages/provider/test/purchases/buyer.js'
import type { Published } from '../../../test/helpers/publish.js'
import type { Signed } from './payments.js'
import type { Shop } from './shoppers.js'

/** Milliseconds between two purchases of a buyer at most. */
const PAUSE = 2_000
/** Calls of `purchase` for one payment at most: each sends the same payment again. */
const CALLS = 3

/** Buyers that use the client library of this project: it must sign one payment for a purchase, and its answers must be true. */
export class Members {
  ordered = 0
  private readonly stopping = new AbortController()
  private readonly working: Promise<void>[] = []

  constructor(private readonly shop: Shop) {}

  start(count: number): void {
    for (let at = 0; at < count; at++) this.working.push(this.buyOften())
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await Promise.all(this.working)
  }

  private async buyOften(): Promise<void> {
    const { market, random } = this.shop
    // an order that a buyer has is used again: each buys once
    while (!this.stopping.signal.aborted) {
      await this.buy(await market.buyer(), random.one(market.assets))
      await sleep(random.below(PAUSE))
    }
  }

  private async buy(buyer: Buyer, asset: Published): Promise<void> {
    const { ledger } = this.shop
    const signed: Signed[] = []
    const tidegate = this.client(buyer, asset, signed)
    for (let call = 0; call < CALLS && !this.stopping.signal.aborted; call++) {
      try {
        const { order } = await tidegate.purchase(asset.did, { accept: () => true, signal: this.stopping.signal })
        ledger.countRequest('client library', 'ok')
        this.ordered += 1
        if (signed[0]) signed[0].told = { as: 'ordered', orderTx: order }
        break
      } catch (error) {
        if (this.stopping.signal.aborted) break
        if (!(error instanceof TidegateError)) throw error
        ledger.countRequest('client library', 'refused')
        ledger.countRefusal(error.status ?? 0, `${error.code} (library)`)
        const [payment] = signed
        if (error.code === 'PURCHASE_REFUNDED' && payment) payment.told = { as: 'refunded' }
        if (error.code === 'PURCHASE_REFUNDED' || !payment) break
      }
    }
    if (signed.length > 1) ledger.addFinding(`the client library signed ${signed.length} payments for one purchase`)
  }

  private client(buyer: Buyer, asset: Published, signed: Signed[]) {
    const { market, front, payments } = this.shop
    const { rpcUrl, chainId } = market.torture.world.network
    const account = privateKeyToAccount(buyer.wallet.privateKey as Hex)
    const recording = {
      ...account,
      signTypedData: async (typed: never) => {
        const signature = await account.signTypedData(typed)
        const { from: payer, nonce, value } = (typed as { message: { from: Hex; nonce: Hex; value: bigint } }).message
        signed.push(payments.add({ chainId, token: market.token, payer, nonce, value, signature }, asset))
        return signature
      },
    }
    const wallet = Object.assign(createWalletClient({ account, transport: http(rpcUrl) }), { account: recording })
    return createTidegate({ url: front.url, wallet, rpcUrl })
  }
}
