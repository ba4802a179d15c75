import { describe, expect, it } from 'vitest'
import { factsOf } from './headers.js'

const nameOf = (disposition: string) =>
  factsOf(new Response('', { headers: { 'content-disposition': disposition } }), 3).name

describe('the name of a file', () => {
  it.each([
    ['attachment;filename=tides.csv', 'tides.csv'],
    ['attachment; filename="tide tables.csv"', 'tide tables.csv'],
    ['attachment;filename="_.csv";filename*=UTF-8\'\'%C3%A9t%C3%A9.csv', 'été.csv'],
    ['attachment;filename="a\\"b.csv"', 'a_b.csv'],
    ['attachment;filename=../../etc/passwd', 'passwd'],
    ["attachment;filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", 'passwd'],
    ["attachment;filename*=UTF-8''..%5C..%5Cboot.ini", 'boot.ini'],
    ["attachment;filename*=UTF-8''%2e%2e", 'file-3'],
    ["attachment;filename*=UTF-8''a%00b%0d%0a.csv", 'a b  .csv'],
    ["attachment;filename*=UTF-8''csv.%E2%80%AEexe", 'csv. exe'],
    ["attachment;filename*=UTF-8''%ff", 'file-3'],
    ['attachment;filename=.bashrc', 'bashrc'],
    ['attachment;filename=CON', '_CON'],
    ['attachment;filename="com1.txt"', '_com1.txt'],
    ['attachment;filename="c:x?.csv"', 'c_x_.csv'],
    ['attachment;filename="end. "', 'end'],
    ['attachment', 'file-3'],
    ['', 'file-3'],
  ])('of %s is %s', (disposition, name) => {
    expect(nameOf(disposition)).toBe(name)
  })

  it('is short enough for every file system, and keeps its ending', () => {
    const name = nameOf(`attachment;filename*=UTF-8''${'%E2%82%AC'.repeat(300)}.csv`)
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
    expect(name).toMatch(/^€+\.csv$/)
  })
})
