import { isAddressEqual } from 'viem'
import { get } from '../lib/http.js'
import type { Ledger } from '../lib/ledger.js'
import { type Facts, factsOf, useKey } from './facts.js'
import { GAS_FEE, type Market } from './market.js'
import type { Payments, Signed } from './payments.js'

/** How the payments of a run ended, and how often an order was undone by a reorganisation after a buyer was told of it. */
export interface Reconciled {
  signed: number
  ordered: number
  refunded: number
  failed: number
  untaken: number
  undone: number
}

/** A purchase as its record tells it. */
export interface PurchaseRecord {
  state: string
  paid: bigint
  spent: bigint
  refunded: bigint
  orderTx: string | undefined
}

interface Options {
  market: Market
  payments: Payments
  ledger: Ledger
  url: string
}

const sumOf = (amounts: bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)

/** Compares every payment, record and answer with the chain, after the last purchase has ended. */
export async function reconcile({ market, payments, ledger, url }: Options): Promise<Reconciled> {
  const facts = await factsOf(market)
  const records = await recordsOf(market)
  const found = (what: string) => ledger.addFinding(what)
  const count: Reconciled = { signed: payments.all.size, ordered: 0, refunded: 0, failed: 0, untaken: 0, undone: 0 }
  for (const id of records.keys()) if (!payments.all.has(id as Signed['id'])) found(`a record of no payment: ${id}`)
  for (const signed of payments.all.values()) {
    const record = records.get(signed.id)
    const name = `${signed.id} of ${signed.payer}`
    const fault = faultOf(signed, record, facts)
    if (fault) found(`payment ${name}: ${fault}; ${textOf(record)}, told ${JSON.stringify(signed.told)}`)
    const shown = await get(`${url}/api/services/purchase/${signed.id}`)
    const state = shown.status === 404 ? undefined : (JSON.parse(shown.body.toString()) as { state: string }).state
    if (state !== record?.state) found(`payment ${name}: shown as ${state}, recorded as ${record?.state}`)
    count[(record?.state ?? 'untaken') as 'ordered'] += 1
    if (isUndone(signed, record)) count.undone += 1
  }
  await compareSums(market, payments, records, facts, found)
  return count
}

async function recordsOf({ torture }: Market): Promise<Map<string, PurchaseRecord>> {
  const [deployment] = torture.deployments
  const rows = (await deployment?.rows('SELECT id, state, paid, spent, refunded, order_tx FROM purchases')) ?? []
  return new Map(
    rows.map(({ id, state, paid, spent, refunded, order_tx }) => [
      String(id),
      {
        ...{ state: String(state), orderTx: order_tx === null ? undefined : String(order_tx) },
        ...{ paid: BigInt(String(paid)), spent: BigInt(String(spent)), refunded: BigInt(String(refunded)) },
      },
    ]),
  )
}

/** Returns what is wrong with a payment that has no record; undefined if nothing is. */
function unrecordedFault({ payer, nonce, told }: Signed, uses: Facts['uses']): string | undefined {
  if (uses.has(useKey(payer, nonce))) return 'it was taken, and is not recorded'
  return told && told.as !== 'untaken' ? 'it is not recorded' : undefined
}

/** Returns what is wrong with a payment; undefined if nothing is. */
export function faultOf(
  signed: Signed,
  record: PurchaseRecord | undefined,
  { uses, orders }: Pick<Facts, 'uses' | 'orders'>,
): string | undefined {
  if (!record) return unrecordedFault(signed, uses)
  const { payer, nonce, value, asset, told } = signed
  const { state, paid, spent, refunded, orderTx } = record
  const isPaid = uses.has(useKey(payer, nonce))
  if (!isPaid) return state === 'failed' && paid + spent + refunded === 0n ? undefined : 'it was not taken'
  if (told?.as === 'untaken') return 'it was taken, and its payer was told that it is not'
  if (paid !== value) return `it has brought ${value}`
  const kept = paid - spent - refunded
  if (state === 'refunded') return kept === 0n ? undefined : 'it was not refunded in full'
  if (state !== 'ordered') return 'it was taken, and is neither ordered nor refunded'
  if (kept !== GAS_FEE) return `the account keeps ${kept}`
  const made = orders.get(orderTx as `0x${string}`) ?? []
  const isRight = made.some(
    ({ datatoken, consumer }) =>
      isAddressEqual(datatoken, asset.datatoken as `0x${string}`) && isAddressEqual(consumer, payer),
  )
  if (made.length !== 1 || !isRight) return 'the chain has no such order'
  return told?.as === 'refunded' ? 'it is ordered, and its payer was told of a refund' : undefined
}

/** Whether the order that a payer was told of is not the one of the record: a reorganisation undid it. */
const isUndone = ({ told }: Signed, record: PurchaseRecord | undefined): boolean =>
  told?.as === 'ordered' && (record?.state !== 'ordered' || record.orderTx !== told.orderTx)

/** Compares sums and counts: no order, refund or transfer without a payment. */
async function compareSums(
  market: Market,
  { all }: Payments,
  records: Map<string, PurchaseRecord>,
  { orders, transfers, sent, balanceOf }: Facts,
  found: (what: string) => void,
): Promise<void> {
  const { account, token, torture } = market
  const same = (what: string, chain: bigint | number, recorded: bigint | number) => {
    if (chain !== recorded) found(`${what}: ${chain} on the chain, ${recorded} by the records`)
  }
  const ended = [...records.values()]
  const ordered = ended.filter(({ state }) => state === 'ordered')
  same('orders', [...orders.values()].flat().length, ordered.length)
  same('different orders', orders.size, new Set(ordered.map(({ orderTx }) => orderTx)).size)
  same('tokens of the account', await balanceOf(token, account), GAS_FEE * BigInt(ordered.length))
  const out = transfers.filter(({ from }) => isAddressEqual(from, account))
  const payers = new Map([...all.values()].map(({ payer }) => [payer, [] as Signed[]]))
  for (const signed of all.values()) payers.get(signed.payer)?.push(signed)
  const isPayer = (address: `0x${string}`) => payers.has(address)
  same('spent', sumOf(out.filter(({ to }) => !isPayer(to)).map(({ value }) => value)), sumOf(ended.map((r) => r.spent)))
  for (const [payer, signed] of payers) {
    const own = signed.flatMap(({ id }) => records.get(id) ?? [])
    const back = out.filter(({ to }) => isAddressEqual(to, payer)).map(({ value }) => value)
    same(`refunds to ${payer}`, sumOf(back), sumOf(own.map(({ refunded }) => refunded)))
    const handedOver = own.filter(({ state, spent }) => state === 'refunded' && spent > 0n).length
    if (handedOver === 0) continue
    const datatokens = new Set(signed.map(({ asset }) => asset.datatoken as `0x${string}`))
    const held = await Promise.all([...datatokens].map((datatoken) => balanceOf(datatoken, payer)))
    same(`datatokens of ${payer}`, sumOf(held), BigInt(handedOver) * 10n ** 18n)
  }
  for (const datatoken of new Set([...all.values()].map(({ asset }) => asset.datatoken as `0x${string}`)))
    same(`datatokens ${datatoken} of the account`, await balanceOf(datatoken, account), 0n)
  const [slots] =
    (await torture.deployments[0]?.rows('SELECT count(*) AS n FROM purchase_slots WHERE outcome IS NOT NULL')) ?? []
  same('transactions of the account', sent, Number(slots?.n))
}

const textOf = (record: PurchaseRecord | undefined) =>
  record
    ? Object.entries(record)
        .map(([key, value]) => `${key} ${value}`)
        .join(', ')
    : 'no record'
