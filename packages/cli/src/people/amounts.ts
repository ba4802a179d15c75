import type { Amount, AssetService, Price } from '@tidegate/client'
import { shown } from './text.js'

/** Bytes for people: 5.2 MB. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  const at = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const value = bytes / 1000 ** at
  return `${at === 0 ? value : value.toFixed(1)} ${units[at]}`
}

/** Seconds for people: "30 days", "1 h 05 min". */
export function secondsText(seconds: number): string {
  if (seconds % 86_400 === 0 && seconds > 0) return `${seconds / 86_400} day${seconds === 86_400 ? '' : 's'}`
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60]
  if (h > 0) return `${h} h ${`${min}`.padStart(2, '0')} min`
  return min > 0 ? `${min} min ${`${s}`.padStart(2, '0')} s` : `${s} s`
}

export const timeText = (date: Date) => date.toISOString().replace(/\.\d+Z$/, 'Z')

/** "5.01 OCEAN". The symbol is the token's own word; that is why the address stands beside it where somebody pays. */
export const amountText = ({ amount, symbol }: Amount) => `${amount} ${shown(symbol, 20)}`

const isFree = ({ type, total }: Price) => type === 'free' && total.every(({ units }) => units === 0n)

/** A price in a few words. What the index tells alone is without the fees that the chain and the provider add. */
export function priceText(price: Price): string {
  if (price.type === 'unavailable') return 'not for sale by a known contract'
  if (isFree(price)) return 'free'
  const paid = price.total.filter(({ units }) => units > 0n)
  const sum = paid.map(amountText).join(' and ') || 'free'
  return price.told ? `${sum} and fees` : sum
}

/** The parts of a price with their sum, a line for each, before somebody pays it. */
export function priceLines(price: Price): string[] {
  if (isFree(price)) return ['  Price        free, but for the gas of the transaction']
  const part = (name: string, amount: Amount | undefined) =>
    amount && amount.units > 0n ? [`  ${name.padEnd(12)} ${amountText(amount)}`] : []
  const total = price.total.filter(({ units }) => units > 0n)
  return [
    ...part('Access', price.datatoken),
    ...part('Fees in it', price.exchangeFees),
    ...part('Publisher', price.publishFee),
    ...part('Provider', price.providerFee),
    ...total.map((amount) => `  ${'In all'.padEnd(12)} ${amountText(amount)}   token ${amount.token}`),
  ]
}

/** How long an order of a service is valid. */
export const validityText = ({ timeout }: Pick<AssetService, 'timeout'>) =>
  timeout === 0 ? 'for ever' : `for ${secondsText(timeout)}`

export const amountJson = ({ token, symbol, amount, decimals, units }: Amount) => ({
  token,
  symbol,
  amount,
  decimals,
  units: `${units}`,
})

/** A price for programs: amounts exact, as decimal strings. */
export function priceJson({ type, total, told, ...parts }: Price) {
  const named = Object.entries(parts).flatMap(([name, part]) => (part ? [[name, amountJson(part)] as const] : []))
  return { type, ...(told ? { told } : {}), ...Object.fromEntries(named), total: total.map(amountJson) }
}
