import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { wrapFetchWithPayment } from '@x402/fetch'
import { type Buyer, purchaseUrl } from '../../../packages/provider/test/purchases/buyer.js'
import type { Published } from '../../../test/helpers/publish.js'
import { get } from '../lib/http.js'
import type { Ledger } from '../lib/ledger.js'
import type { Random } from '../lib/random.js'
import { Answers, limitOf } from './answers.js'
import type { Front } from './front.js'
import type { Market } from './market.js'
import { changed } from './mutations.js'
import type { Payments, Signed } from './payments.js'

/** What buyers need. */
export interface Shop {
  market: Market
  front: Front
  payments: Payments
  ledger: Ledger
  random: Random
}

/** Milliseconds for which a patient program waits for an answer: longer than the service takes at most. */
const PATIENT = 75_000
/** Milliseconds after which an impatient one hangs up at the latest. */
const IMPATIENT = 3_000
/** Share of the payments whose payer moves the tokens away at once. */
const CHEATS = 0.08
/** Milliseconds between two requests of a buyer at most. */
const PAUSE = 500

/** Buyers that buy without an end, repeat and change payments, and hang up: by bare requests, and by the published client. */
export class Shoppers {
  /** Payments that were ordered, as the service has told. */
  ordered = 0
  private readonly answers: Answers
  private readonly stopping = new AbortController()
  private readonly working: Promise<void>[] = []

  constructor(private readonly shop: Shop) {
    this.answers = new Answers(shop.ledger, shop.payments.secrets)
  }

  /** Starts buyers, of which every third uses the published client. */
  start(count: number): void {
    for (let at = 0; at < count; at++) this.working.push(this.buyOften(at % 3 === 2))
  }

  /** Ends when each payment that was sent has an outcome. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await Promise.all(this.working)
  }

  private async buyOften(isPublished: boolean): Promise<void> {
    const { market, random, ledger } = this.shop
    while (!this.stopping.signal.aborted) {
      const buyer = await market.buyer()
      const asset = random.one(market.assets)
      try {
        const signed = await (isPublished ? this.payByClient(buyer, asset) : this.pay(buyer, asset))
        // one whose payment failed could still be paid
        if (signed?.told?.as === 'ordered' || !signed) market.giveBack(buyer)
      } catch (error) {
        ledger.addFinding(`a buyer failed: ${(error as Error).stack}`)
      }
      await this.pause()
    }
  }

  private url(asset: Published): string {
    const { market, front } = this.shop
    const { world } = market.torture
    return purchaseUrl(world, asset).replace(world.network.providerUrl, front.url)
  }

  private pause(): Promise<void> {
    return sleep(this.shop.random.below(PAUSE))
  }

  /** Buys by bare requests. Returns the payment, if one was signed. */
  private async pay(buyer: Buyer, asset: Published): Promise<Signed | undefined> {
    const { payments, random } = this.shop
    const price = this.answers.price(await get(this.url(asset)))
    if (!price) return undefined
    const id = random.chance(0.5) ? randomUUID() : undefined
    const header = await buyer.sign(decodePaymentRequiredHeader(price), (payload) => {
      if (id) payload.extensions = { 'payment-identifier': { info: { required: false, id } } }
    })
    const signed = payments.addHeader(header, asset)
    if (random.chance(CHEATS)) void this.shop.market.empty(buyer).catch(() => undefined)
    await this.settle(signed, header)
    return signed
  }

  /** Buys by the published client, which pays once, and then goes on as a program that knows its payment. */
  private async payByClient(buyer: Buyer, asset: Published): Promise<Signed | undefined> {
    const { payments, ledger } = this.shop
    let sent: { signed: Signed; header: string } | undefined
    const recording = (input: RequestInfo | URL, init?: RequestInit) => {
      const request = new Request(input, init)
      const header = request.headers.get('payment-signature')
      if (header !== null) sent = { signed: payments.addHeader(header, asset), header }
      return fetch(request, { signal: AbortSignal.timeout(PATIENT) })
    }
    const response = await wrapFetchWithPayment(recording, buyer.client)(this.url(asset)).catch(() => undefined)
    await response?.text().catch(() => undefined)
    ledger.countRequest('published client', response?.ok ? 'ok' : response ? 'refused' : 'broken')
    if (sent) await this.settle(sent.signed, sent.header)
    return sent?.signed
  }

  /** Sends a payment until its outcome is known. */
  private async settle(signed: Signed, header: string): Promise<void> {
    const { random } = this.shop
    while (!signed.told) {
      const how = random.next()
      // with faults at an end, everybody is patient
      const isCalm = this.stopping.signal.aborted
      if (!isCalm && how < 0.2) await this.send(signed, header, random.below(IMPATIENT))
      else if (how < 0.35) await Promise.all([this.send(signed, header), this.send(signed, header)])
      else if (how < 0.5) await Promise.all([this.send(signed, header), this.sendChanged(signed, header)])
      else await this.send(signed, header)
      if (!signed.told) await this.pause()
    }
    if (signed.told.as === 'ordered') this.ordered += 1
    // nothing may change by saying it again
    if (random.chance(0.2)) await this.send(signed, header)
  }

  private async send(signed: Signed, header: string, timeout = PATIENT): Promise<void> {
    const { market, random } = this.shop
    const method = random.chance(0.8) ? 'GET' : 'POST'
    const got = await get(this.url(signed.asset), { method, headers: { 'payment-signature': header }, timeout })
    const told = this.answers.of(signed, got)
    if (told && told.as !== 'untaken') signed.told = told
    signed.told ??= told
    if (limitOf(got) === 'asset') await market.replace(signed.asset)
  }

  private async sendChanged({ asset }: Signed, header: string): Promise<void> {
    const [what, other] = changed(header, this.shop.random)
    this.answers.ofChanged(
      what,
      await get(this.url(asset), { headers: { 'payment-signature': other }, timeout: PATIENT }),
    )
  }
}
