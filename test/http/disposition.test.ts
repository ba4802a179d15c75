import { describe, expect, it } from 'vitest'
import { contentDisposition, fallbackName } from '../../src/http/files/disposition.js'

describe('Content-Disposition', () => {
  it.each([
    ['tides.csv', 'attachment;filename=tides.csv'],
    ['tide tables.csv', `attachment;filename="tide tables.csv";filename*=UTF-8''tide%20tables.csv`],
    ['Höhe.csv', `attachment;filename="H_he.csv";filename*=UTF-8''H%C3%B6he.csv`],
    ['潮.csv', `attachment;filename="_.csv";filename*=UTF-8''%E6%BD%AE.csv`],
    ['a"b\\c.csv', 'attachment;filename=c.csv'],
    ["it's (1).csv", `attachment;filename="it's (1).csv";filename*=UTF-8''it%27s%20%281%29.csv`],
    ['../../etc/passwd', 'attachment;filename=passwd'],
    ['C:\\secret\\x.txt', 'attachment;filename=x.txt'],
    ['.htaccess', 'attachment;filename=htaccess'],
    [
      'x\r\nSet-Cookie: a=b.csv',
      `attachment;filename="xSet-Cookie: a=b.csv";filename*=UTF-8''xSet-Cookie%3A%20a%3Db.csv`,
    ],
    ['gpj\u202e.exe', 'attachment;filename=gpj.exe'],
    ['gpj\u061c.exe', 'attachment;filename=gpj.exe'],
    [`${'x'.repeat(199)} y.csv`, `attachment;filename=${'x'.repeat(199)}`],
    ['', 'attachment;filename=file-0'],
    ['..', 'attachment;filename=file-0'],
    [undefined, 'attachment;filename=file-0'],
  ])('of %j', (name, header) => {
    expect(contentDisposition(name, 'file-0')).toBe(header)
  })

  it('has a maximum length', () => {
    expect(contentDisposition(`${'x'.repeat(5000)}.csv`, 'f').length).toBeLessThan(300)
  })

  it.each([
    ['text/csv; charset=utf-8', 'file-2.csv'],
    ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'file-2.xlsx'],
    ['application/json', 'file-2.json'],
    ['application/octet-stream', 'file-2'],
    ['nonsense', 'file-2'],
    [undefined, 'file-2'],
  ])('of a file of type %s without a name', (type, name) => {
    expect(fallbackName(2, type)).toBe(name)
  })
})
