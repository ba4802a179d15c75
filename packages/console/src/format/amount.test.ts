import fc from 'fast-check'
import { formatUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { decimalOf, grouped, shownAmount, summed } from './amount.js'

const units = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const decimals = fc.integer({ min: 0, max: 36 })
const plain = (text: string) => text.replace('≈ ', '').replaceAll(',', '')
/** Converts a decimal text to the smallest unit. */
function unitsOf(text: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

describe('amounts', () => {
  it('are written with every digit', () => {
    fc.assert(
      fc.property(units, decimals, (units, decimals) => decimalOf(units, decimals) === formatUnits(units, decimals)),
    )
    expect(decimalOf(-15n, 1)).toBe('-1.5')
  })

  it('are grouped without any other change', () => {
    expect(grouped('1234567.8901')).toBe('1,234,567.8901')
    fc.assert(
      fc.property(
        units,
        decimals,
        (units, decimals) => plain(grouped(decimalOf(units, decimals))) === decimalOf(units, decimals),
      ),
    )
  })

  it('are shortened only downward, are marked, and never become zero', () => {
    fc.assert(
      fc.property(units, decimals, (units, decimals) => {
        const { text, exact, shortened } = shownAmount({ units, decimals })
        const shown = unitsOf(plain(text), decimals)
        expect(plain(exact)).toBe(decimalOf(units, decimals))
        expect(shown <= units).toBe(true)
        expect(shortened).toBe(shown !== units)
        expect(text.startsWith('≈')).toBe(shortened)
        expect(shown === 0n).toBe(units === 0n)
      }),
    )
  })

  it('are not rounded up to an integer', () => {
    expect(shownAmount({ units: 999_999n, decimals: 6 }).text).toBe('≈ 0.9999')
    expect(shownAmount({ units: 1n, decimals: 18 }).text).toBe('0.000000000000000001')
  })

  it('are summed by token', () => {
    const one = { token: '0x1', symbol: 'A', decimals: 2, units: 150n, amount: '1.5' } as const
    const other = { ...one, token: '0x2' } as const
    expect(summed([one, other, one]).map(({ token, amount }) => [token, amount])).toEqual([
      ['0x1', '3'],
      ['0x2', '1.5'],
    ])
  })
})
