import type { Amount, AssetService, Funds, Price } from '@tidegate/client'
import { SECONDS } from '@tidegate/protocol/constants'
import { MICRO_UNIT } from '../constants.js'
import { shown } from './output/text.js'

/** Returns seconds for people: "30 days", "1 h 05 min". */
export function secondsText(seconds: number): string {
  const { day, hour } = SECONDS
  if (seconds % day === 0 && seconds > 0) return `${seconds / day} day${seconds === day ? '' : 's'}`
  const [h, min, s] = [Math.floor(seconds / hour), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60]
  if (h > 0) return `${h} h ${`${min}`.padStart(2, '0')} min`
  return min > 0 ? `${min} min ${`${s}`.padStart(2, '0')} s` : `${s} s`
}

export const timeText = (date: Date) => date.toISOString().replace(/\.\d+Z$/, 'Z')

/** "5.01 OCEAN". The symbol is the token's own claim, so payments also show its address. */
export const amountText = ({ amount, symbol }: Amount) => `${amount} ${shown(symbol, 20)}`

/** Returns a decimal text in units, exactly. Decimals beyond the token's are cut off. */
export function unitsOf(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}

const isFree = ({ type, total }: Price) => type === 'free' && total.every(({ units }) => units === 0n)

/** Returns a price in a few words. The index's price has no fees. */
export function priceText(price: Price): string {
  if (price.type === 'unavailable') return 'not for sale by a known contract'
  if (isFree(price)) return 'free'
  const paid = price.total.filter(({ units }) => units > 0n)
  const sum = paid.map(amountText).join(' and ') || 'free'
  return price.told ? `${sum} and fees` : sum
}

/** Returns a line for each part of a price and for its sum. */
export function priceLines(price: Price): string[] {
  if (isFree(price)) return ['  Price        free, except for gas']
  const part = (name: string, amount: Amount | undefined) =>
    amount && amount.units > 0n ? [`  ${name.padEnd(12)} ${amountText(amount)}`] : []
  const total = price.total.filter(({ units }) => units > 0n)
  return [
    ...part('Access', price.datatoken),
    ...part('incl. fees', price.exchangeFees),
    ...part('Publisher', price.publishFee),
    ...part('Provider', price.providerFee),
    ...total.map((amount) => `  ${'Total'.padEnd(12)} ${amountText(amount)}   token ${amount.token}`),
  ]
}

/** Returns the buyer's balances, and the estimated network fee in the chain's native coin. */
export function fundsLines({ tokens, coin }: Funds): string[] {
  const fee = `about ${coinText(coin.fee)} of ${coinText(coin.held)} native coin${short(coin.held >= coin.fee)}`
  return [...heldLines(tokens), `  ${'Network fee'.padEnd(12)} ${fee}`]
}

/** Returns the buyer's balances of the tokens of a price. */
export const heldLines = (tokens: Funds['tokens']): string[] =>
  tokens.map(({ due, held }) => `  ${'You hold'.padEnd(12)} ${amountText(held)}${short(held.units >= due.units)}`)

const short = (isEnough: boolean) => (isEnough ? '' : '   not enough')

/** Returns an amount of the native coin: whole micro-units are enough for people. */
function coinText(units: bigint): string {
  const micro = (units + MICRO_UNIT.size - 1n) / MICRO_UNIT.size
  const fraction = `${micro % MICRO_UNIT.perCoin}`.padStart(6, '0').replace(/0+$/, '')
  return `${micro / MICRO_UNIT.perCoin}${fraction && `.${fraction}`}`
}

/** Returns funds for programs: the coin in its smallest unit. */
export const fundsJson = ({ tokens, coin }: Funds) => ({
  held: tokens.map(({ held }) => amountJson(held)),
  coin: { held: `${coin.held}`, fee: `${coin.fee}` },
})

/** Returns the validity of a service's order. */
export const validityText = ({ timeout }: Pick<AssetService, 'timeout'>) =>
  timeout === 0 ? 'forever' : `for ${secondsText(timeout)}`

export const amountJson = ({ token, symbol, amount, decimals, units }: Amount) => ({
  token,
  symbol,
  amount,
  decimals,
  units: `${units}`,
})

/** Returns a price for programs, with exact decimal strings. */
export function priceJson({ type, total, told, ...parts }: Price) {
  const named = Object.entries(parts).flatMap(([name, part]) => (part ? [[name, amountJson(part)] as const] : []))
  return { type, ...(told ? { told } : {}), ...Object.fromEntries(named), total: total.map(amountJson) }
}
