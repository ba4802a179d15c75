import { expect, it } from 'vitest'
import { inTokens, type ReportLine } from './report.js'
import { csvField, formatterOf } from './report-formats.js'

const TOKEN = '0x2222222222222222222222222222222222222222'
const line: ReportLine = {
  key: 'did:op:a',
  deliveries: 2n,
  complete: 1n,
  bytes: 2n ** 60n,
  orders: 1n,
  fees: [
    { chainId: 1, token: TOKEN, amount: 15n, decimals: 1 },
    { chainId: 2, token: TOKEN, amount: 7n, decimals: undefined },
  ],
}

it.each([
  ['1', 18, '0.000000000000000001'],
  ['1500000000000000000', 18, '1.5'],
  ['0', 18, '0'],
  ['123', 0, '123'],
  [String(2n ** 256n - 1n), 77, '1.15792089237316195423570985008687907853269984665640564039457584007913129639935'],
])('an amount of %s with %i decimals is %s, exactly', (amount, decimals, text) => {
  expect(inTokens({ amount: BigInt(amount), decimals })).toBe(text)
})

it.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  [' =1', "' =1"],
  ['＝1', "'＝1"],
  ['a;=1', `"a;'=1"`],
  ['a\t@b;-c', `"a\t'@b;'-c"`],
  ['a-b;c', '"a-b;c"'],
  ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
  ['a,b', '"a,b"'],
  ['a\nb', '"a\nb"'],
  ['did:op:a', 'did:op:a'],
])('a CSV field is text, never a formula: %j', (value, field) => {
  expect(csvField(value)).toBe(field)
})

it('CSV rows contain each count once, so that columns can be summed', () => {
  expect(formatterOf('csv', 'asset').line(line, true)).toBe(
    `did:op:a,2,1,${2n ** 60n},1,1,${TOKEN},15,1.5\r\n,,,,,2,${TOKEN},7,\r\n`.replace('\r\n,', '\r\ndid:op:a,'),
  )
})

it('JSON keeps every digit, and has the decimals where they are known', () => {
  const { begin, line: write, end } = formatterOf('json', 'asset')
  const text = begin + write(line, true) + write(line, false) + end
  expect(text).toContain(`"bytes":${2n ** 60n}`)
  expect(JSON.parse(text)[1].fees).toEqual([
    { chainId: 1, token: TOKEN, amount: '15', decimals: 1, decimal: '1.5' },
    { chainId: 2, token: TOKEN, amount: '7' },
  ])
})
