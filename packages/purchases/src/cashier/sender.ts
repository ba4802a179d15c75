import type { Logger } from '@tidegate/common'
import type { ChainView, PayingChain } from '../chain/paying-chain.js'
import { PURCHASE_LIMITS } from '../limits.js'
import type { SignedTransaction, Slot, SlotStore } from '../records/slot-table.js'

interface SenderOptions {
  chain: PayingChain
  slots: Pick<SlotStore, 'addTransaction' | 'fill'>
  ceiling: bigint
  log: Pick<Logger, 'warn'>
}

const { resend, replace } = PURCHASE_LIMITS.cashier

/** What a replacement offers, in per cent of the last price, and what nodes demand. */
const DEARER = 125n
const LEAST = 111n

/** Signs and sends the transactions of slots, each written down before, again until they are mined. */
export class Sender {
  /** When each transaction was last sent by this process, in milliseconds since 1970. */
  private readonly sent = new Map<string, number>()

  constructor(private readonly options: SenderOptions) {}

  /** Sends what is not mined. One that cannot be sent now is sent again later. */
  async sendAll(
    slots: readonly Slot[],
    transactions: readonly SignedTransaction[],
    view: ChainView,
    now: number,
  ): Promise<void> {
    const waiting = slots.filter(({ nonce }) => nonce >= view.head.nonce)
    if (waiting.length === 0) return this.sent.clear()
    await this.fillGap(waiting, view, now)
    const market = await this.options.chain.price()
    for (const slot of waiting) {
      const own = transactions.filter(({ nonce }) => nonce === slot.nonce)
      const price = priceOf(own, market, this.options.ceiling, now)
      if (price !== undefined) own.push(await this.signed(slot, price, now))
      for (const { hash, raw } of own) if ((this.sent.get(hash) ?? 0) + resend <= now) await this.send(hash, raw, now)
    }
  }

  private async signed(slot: Slot, price: bigint, now: number): Promise<SignedTransaction> {
    const { chain, slots } = this.options
    const { nonce } = slot
    const transaction = { ...(await chain.sign(slot, nonce, price)), nonce, price, createdAt: now }
    await slots.addTransaction(transaction)
    return transaction
  }

  private async send(hash: string, raw: SignedTransaction['raw'], now: number): Promise<void> {
    const { chain, log } = this.options
    this.sent.set(hash, now)
    await chain.send(raw).catch((error: Error) => log.warn({ hash, reason: error.message }, 'not sent, again later'))
  }

  /** Uses up a nonce below all waiting ones which a reorganisation has set free: without it none of them is mined. */
  private async fillGap(waiting: readonly Slot[], { head }: ChainView, now: number): Promise<void> {
    const [lowest] = waiting
    if (!lowest || lowest.nonce === head.nonce || now - lowest.createdAt < replace) return
    const { chain } = this.options
    await this.options.slots.fill(
      head.nonce,
      { step: 'fill', to: chain.account, data: '0x', gas: PURCHASE_LIMITS.gas.fill },
      now,
    )
  }
}

/** Returns the price of a new transaction for a slot; undefined if the last one is not old, or none may be as dear as it must be. */
function priceOf(own: readonly SignedTransaction[], market: bigint, ceiling: bigint, now: number): bigint | undefined {
  const last = own.at(-1)
  if (!last) return market <= ceiling ? market : undefined
  if (now - last.createdAt < replace) return undefined
  const dearer = (last.price * DEARER) / 100n + 1n
  const wanted = dearer > market ? dearer : market
  // as dear as allowed is better than too cheap, if nodes take it
  const price = wanted < ceiling ? wanted : ceiling
  return price * 100n >= last.price * LEAST ? price : undefined
}
