import { describe, expect, it } from 'vitest'
import type { Amount } from '../types.js'
import { SALES_CSV_HEADER, salesCsvLines } from './csv.js'
import type { Sale } from './types.js'

const amount = (token: `0x${string}`, symbol: string, units: bigint): Amount => ({
  ...{ token, symbol, decimals: 2, units },
  amount: `${Number(units) / 100}`,
})

const sale = (changes: Partial<Sale> = {}): Sale => ({
  tx: '0xabc',
  chainId: 1,
  did: 'did:op:1',
  name: 'Tides',
  service: 'access',
  datatoken: '0x1',
  consumer: '0x2',
  payer: '0x3',
  time: new Date(0),
  source: 'exchange',
  payments: [
    { to: 'publisher', amount: amount('0x4', 'OCEAN', 150n) },
    { to: 'provider', amount: amount('0x5', 'USDC', 5n) },
  ],
  total: [amount('0x4', 'OCEAN', 150n), amount('0x5', 'USDC', 5n)],
  ...changes,
})

describe('sales as CSV', () => {
  it('have a line for each token, with the columns of the heading', () => {
    const lines = salesCsvLines(sale())
    expect(lines).toEqual([
      '1970-01-01T00:00:00.000Z,1970-01,Tides,did:op:1,access,0x2,0x3,exchange,,0x4,OCEAN,1.5,0,0,0,0,0,1.5,0xabc',
      '1970-01-01T00:00:00.000Z,1970-01,Tides,did:op:1,access,0x2,0x3,exchange,,0x5,USDC,0,0,0,0,0.05,0,0.05,0xabc',
    ])
    for (const line of [...lines, ...salesCsvLines(sale({ payments: [], total: [] }))])
      expect(line.split(',')).toHaveLength(SALES_CSV_HEADER.split(',').length)
  })

  it.each([
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    [' =HYPERLINK("x")', `"' =HYPERLINK(""x"")"`],
    ['\t=1', `"'\t=1"`],
    ['tide;=1+1', `"tide;'=1+1"`],
    ['tide\t ＠A1', `"tide\t' ＠A1"`],
    ['a "b", c', `"a ""b"", c"`],
  ])('holds %j as text', (name, cell) => {
    expect(salesCsvLines(sale({ name, total: [] }))[0]).toContain(`,${cell},did:op:1,`)
  })
})
