import { describe, expect, it } from 'vitest'
import { STORAGE_LIMITS } from '../../../../storage/src/limits.js'
import { safeName } from '../../../../storage/src/safe-name.js'
import { contentDisposition, fallbackName } from './disposition.js'

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
    ['two\u2028lines\u200b.csv', 'attachment;filename=twolines.csv'],
    [`${'x'.repeat(195)} y.csv`, `attachment;filename=${'x'.repeat(195)}.csv`],
    ['\u{1f30a}.csv', `attachment;filename="_.csv";filename*=UTF-8''%F0%9F%8C%8A.csv`],
    ['50%25.csv', `attachment;filename="50_25.csv";filename*=UTF-8''50%2525.csv`],
    ['50%.csv', 'attachment;filename=50%.csv'],
    ['tides.csv. .', 'attachment;filename=tides.csv'],
    ['CON', 'attachment;filename=_CON'],
    ['nul.tar.gz', 'attachment;filename=_nul.tar.gz'],
    ['com1 .txt', `attachment;filename="_com1 .txt";filename*=UTF-8''_com1%20.txt`],
    ['COM¹', `attachment;filename="_COM_";filename*=UTF-8''_COM%C2%B9`],
    ['console.csv', 'attachment;filename=console.csv'],
    ['', 'attachment;filename=file-0'],
    ['..', 'attachment;filename=file-0'],
    [undefined, 'attachment;filename=file-0'],
  ])('of %j', (name, header) => {
    expect(contentDisposition(name, 'file-0')).toBe(header)
  })

  it('has a maximum length', () => {
    expect(contentDisposition(`${'x'.repeat(3000)}.csv`, 'f').length).toBeLessThan(300)
  })

  it.each(['潮', '\u{1f30a}', 'é', 'x'])('bounds a name of many %s in bytes, and keeps its ending', (character) => {
    for (const ending of ['.csv', '.tar.gz', '']) {
      const name = safeName(character.repeat(1000) + ending)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(STORAGE_LIMITS.files.name)
      expect(Buffer.byteLength(name)).toBeGreaterThan(STORAGE_LIMITS.files.name - 4)
      expect(name).toBe(character.repeat([...name].length - ending.length) + ending)
    }
  })

  it('is quick for hostile names', () => {
    for (const name of [' '.repeat(60_000), `${' .'.repeat(30_000)}x`, '\u202e'.repeat(60_000), '/'.repeat(60_000)])
      expect(safeName(`a${name}`).length).toBeLessThan(300)
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
