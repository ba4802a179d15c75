import type { Amount } from '@tidegate/client'

/** Decimals of a shortened amount. */
const SHOWN = 4

export interface ShownAmount {
  /** Grouped, and shortened downward with "≈" before it. */
  text: string
  /** All digits, grouped. */
  exact: string
  shortened: boolean
}

/** "1234567.5" → "1,234,567.5". Exact: nothing is rounded. */
export function grouped(decimal: string): string {
  const [whole = '0', fraction] = decimal.split('.')
  const groups = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',')
  return fraction ? `${groups}.${fraction}` : groups
}

/** Returns units of a token as a decimal text without zeros at its end. */
export function decimalOf(units: bigint, decimals: number): string {
  const negative = units < 0n
  const digits = String(negative ? -units : units).padStart(decimals + 1, '0')
  const whole = decimals === 0 ? digits : digits.slice(0, -decimals)
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '')
  return `${negative ? '-' : ''}${whole}${fraction && `.${fraction}`}`
}

/**
 * Returns an amount for people. Decimals beyond the fourth are cut, never rounded up, and marked with "≈". A smaller amount
 * keeps its first digits, so that it does not become zero.
 */
export function shownAmount({ units, decimals }: Pick<Amount, 'units' | 'decimals'>): ShownAmount {
  const exact = grouped(decimalOf(units, decimals))
  const [whole = '0', fraction = ''] = exact.split('.')
  const zeros = fraction.length - fraction.replace(/^0+/, '').length
  const digits = whole === '0' ? Math.max(SHOWN, zeros + 2) : SHOWN
  if (fraction.length <= digits) return { text: exact, exact, shortened: false }
  const cut = fraction.slice(0, digits).replace(/0+$/, '')
  return { text: `≈ ${whole}${cut && `.${cut}`}`, exact, shortened: true }
}

/** Sums amounts by token. */
export function summed(amounts: readonly Amount[]): Amount[] {
  const byToken = new Map<string, Amount>()
  for (const each of amounts) {
    const units = (byToken.get(each.token)?.units ?? 0n) + each.units
    byToken.set(each.token, { ...each, units, amount: decimalOf(units, each.decimals) })
  }
  return [...byToken.values()]
}
