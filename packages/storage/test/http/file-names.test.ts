import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clock } from '../../../../test/helpers/measured.js'
import { downloader, RawStorage, rawAnswer } from '../../../../test/helpers/raw-storage.js'
import { suggestedName } from '../../src/http/content-disposition.js'

const utf8 = (text: string) => Buffer.from(text).toString('latin1')
const base64 = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding).toString('base64')

let dispositions: string[] = []
let storage: RawStorage
let download: ReturnType<typeof downloader>
beforeAll(async () => {
  storage = await RawStorage.start(() => rawAnswer('200 OK', { 'Content-Disposition': dispositions }, 'tide'))
  download = downloader()
})
afterAll(async () => {
  await download.close()
  await storage.close()
})

/** Returns the name of a download, after checking that its description has it, too. */
async function named(disposition: string | string[], path = '/opaque') {
  dispositions = [disposition].flat()
  const { name, described } = await download.described(`http://127.0.0.1:${storage.port}${path}`)
  expect(described).toMatchObject({ valid: true })
  expect(described.name).toBe(name)
  return name
}

describe('the name in a Content-Disposition', () => {
  it.each<[string, string, string | undefined]>([
    ['control: a token', 'attachment; filename=tides.csv', 'tides.csv'],
    ['control: quoted', 'attachment; filename="tide tables.csv"', 'tide tables.csv'],
    ['no space, other case', 'ATTACHMENT;FileName="a.csv"', 'a.csv'],
    ['spaces around', ' attachment ;\tfilename = "a.csv" ', 'a.csv'],
    ['inline', 'inline; filename=a.csv', 'a.csv'],
    ['no type', 'filename="a.csv"', 'a.csv'],
    ['no semicolon after the type', 'attachment filename="a.csv"', 'a.csv'],
    ['raw UTF-8', utf8('attachment; filename="Höhe 潮.csv"'), 'Höhe 潮.csv'],
    ['raw UTF-8 without quotes', utf8('attachment; filename=潮.csv'), '潮.csv'],
    ['raw UTF-8 that ends with a space in Latin-1', utf8('attachment; filename=voilà'), 'voilà'],
    ['raw Latin-1', 'attachment; filename="H\xf6he.csv"', 'Höhe.csv'],
    ['raw Latin-1 of Windows', 'attachment; filename=\x80\x96\xfc.csv', '€–ü.csv'],
    ['signs that fold to ASCII', utf8('attachment; filename="ſ\u212a.csv"'), 'ſ\u212a.csv'],
    ['spaces without quotes', 'attachment; filename=tide tables 2026.csv; size=4', 'tide tables 2026.csv'],
    ['percent-encoded in quotes', 'attachment; filename="H%C3%B6he%201.csv"', 'Höhe 1.csv'],
    ['percent-encoded without quotes', 'attachment; filename=%E6%BD%AE.csv', '潮.csv'],
    ['percent signs', 'attachment; filename="100% of 5%.csv"', '100% of 5%.csv'],
    ['percent-encoded otherwise', 'attachment; filename="H%F6he.csv"', 'H%F6he.csv'],
    ['encoded words, B', `attachment; filename="=?UTF-8?B?${base64('Höhe 潮.csv')}?="`, 'Höhe 潮.csv'],
    ['encoded words, Q', 'attachment; filename="=?iso-8859-1?Q?H=F6he_=3d_1.csv?="', 'Höhe = 1.csv'],
    ['encoded words without quotes', 'attachment; filename==?UTF-8?Q?H=C3=B6he.csv?=', 'Höhe.csv'],
    ['several encoded words', 'attachment; filename="=?utf-8?q?H=C3?= \t=?utf-8?q?=B6he?= 1.csv"', 'Höhe 1.csv'],
    ['encoded words of two charsets', 'attachment; filename="=?utf-8?q?=C3=B6?= =?latin1?q?=F6?=.csv"', 'öö.csv'],
    ['encoded words with a language', 'attachment; filename="=?utf-8*de?q?H=C3=B6he.csv?="', 'Höhe.csv'],
    ['Shift_JIS words', `attachment; filename="=?Shift_JIS?B?${base64('92aa2e637376', 'hex')}?="`, '潮.csv'],
    ['encoded words of an unknown charset', 'attachment; filename="=?x-none?Q?a.csv?="', '=?x-none?Q?a.csv?='],
    ['extended', "attachment; filename*=UTF-8''H%C3%B6he%20%E6%BD%AE.csv", 'Höhe 潮.csv'],
    ['extended with a language', "attachment; filename*=utf-8'de'H%c3%b6he.csv", 'Höhe.csv'],
    ['extended Latin-1', "attachment; filename*=ISO-8859-1''H%F6he.csv", 'Höhe.csv'],
    ['extended windows-1251', "attachment; filename*=windows-1251''%EF%F0%E8%EB%E8%E2.csv", 'прилив.csv'],
    ['extended Shift_JIS', "attachment; filename*=Shift_JIS''%92%AA.csv", '潮.csv'],
    ['extended GB18030', "attachment; filename*=gb18030''%B3%B1.csv", '潮.csv'],
    ['extended EUC-KR', "attachment; filename*=EUC-KR''%C1%B6%BC%F6.csv", '조수.csv'],
    ['extended in quotes', 'attachment; filename*="UTF-8\'\'H%C3%B6he.csv"', 'Höhe.csv'],
    ['extended without a charset', 'attachment; filename*=H%C3%B6he.csv', 'Höhe.csv'],
    ['extended, not encoded', utf8("attachment; filename*=UTF-8''Höhe 1.csv"), 'Höhe 1.csv'],
    ['extended after plain', "attachment; filename=a.csv; filename*=UTF-8''%C3%A4.csv", 'ä.csv'],
    ['extended before plain', "attachment; filename*=UTF-8''%C3%A4.csv; filename=a.csv", 'ä.csv'],
    ['extended of an unknown charset', "attachment; filename=a.csv; filename*=none''b.csv", 'a.csv'],
    ['extended of invalid bytes', "attachment; filename=a.csv; filename*=UTF-8''%FF.csv", 'a.csv'],
    ['extended and empty', "attachment; filename=a.csv; filename*=UTF-8''", 'a.csv'],
    ['another parameter that holds one', 'attachment; x="; filename=evil.csv"; filename=a.csv', 'a.csv'],
    ['another parameter that ends like one', 'attachment; xfilename=evil.csv; filename=a.csv', 'a.csv'],
    ['several', 'attachment; filename=a.csv; filename=b.csv', 'a.csv'],
    ['escaped signs', 'attachment; filename="a\\"b;c.csv"', 'a"b;c.csv'],
    ['an open quote', 'attachment; filename="a.csv', 'a.csv'],
    ['text after the quote', 'attachment; filename="a.csv"x; y', 'a.csv'],
    ['a Windows path', 'attachment; filename="C:\\Users\\me\\tides.csv"', 'tides.csv'],
    ['an escaped Windows path', 'attachment; filename="C:\\\\Users\\\\me\\\\tides.csv"', 'tides.csv'],
    ['a Windows share', 'attachment; filename=\\\\host\\share\\tides.csv', 'tides.csv'],
    ['a path', 'attachment; filename="../../etc/tides.csv"', 'tides.csv'],
    ['an encoded path', "attachment; filename*=UTF-8''..%2F..%5Ctides.csv", 'tides.csv'],
    ['a percent-encoded path', 'attachment; filename="..%2f..%5ctides.csv"', 'tides.csv'],
    ['a path in encoded words', `attachment; filename="=?UTF-8?B?${base64('../tides.csv')}?="`, 'tides.csv'],
    ['control characters', "attachment; filename*=UTF-8''a%00%0d%0a%7f%c2%85b.csv", 'ab.csv'],
    ['another direction', "attachment; filename*=UTF-8''a%E2%80%AEvsc%E2%81%A6.exe", 'avsc.exe'],
    ['a device', 'attachment; filename="aux.csv"', '_aux.csv'],
    ['leading dots', 'attachment; filename="..hidden.csv"', 'hidden.csv'],
    ['dots at the end', 'attachment; filename="a.csv. ."', 'a.csv'],
    ['nothing safe', 'attachment; filename=".."', undefined],
    ['nothing', 'attachment; filename=', undefined],
    ['no name', 'attachment', undefined],
    ['no text', '', undefined],
  ])('%s: is %#', async (_what, disposition, expected) => {
    expect(await named(disposition)).toBe(expected)
  })

  it('counts before the location, which names a file without a usable one', async () => {
    expect(await named('attachment; filename=a.csv', '/b.csv')).toBe('a.csv')
    expect(await named('attachment; filename=".."', '/b.csv')).toBe('b.csv')
    expect(await named('attachment', '/H%C3%B6he.csv')).toBe('Höhe.csv')
    expect(await named('attachment', '/H%F6he.csv')).toBe('Höhe.csv')
    expect(await named('attachment', '/..%2f..%2fb.csv')).toBe('b.csv')
  })

  it('is the last segment of the path only if that looks like a file name', async () => {
    for (const known of ['LICENSE', 'licence', 'README', 'Makefile', 'Dockerfile'])
      expect(await named('attachment', `/a/${known}?token=1`)).toBe(known)
    // any other word may be a secret
    for (const word of ['opaque', 'licenses', 'a-readme', 'README/x9'])
      expect(await named('attachment', `/${word}`)).toBe(undefined)
  })

  it('is that of the first header', async () => {
    expect(await named(['attachment; filename=a.csv', 'attachment; filename=b.csv'])).toBe('a.csv')
  })

  it('is bounded in bytes, and keeps its ending', async () => {
    const name = await named(`attachment; filename*=UTF-8''${'%E6%BD%AE'.repeat(2_000)}.csv`)
    expect(name).toBe(`${'潮'.repeat(65)}.csv`)
  })

  it.each([
    ';'.repeat(60_000),
    '='.repeat(60_000),
    `filename=${'=?'.repeat(30_000)}`,
    `filename=${'=?a?q?'.repeat(10_000)}`,
    `filename==?${'a'.repeat(60_000)}`,
    `filename==?a*${'*'.repeat(60_000)}`,
    `filename="=?utf-8?q??=${' '.repeat(60_000)}"`,
    `filename="${'\\'.repeat(60_000)}`,
    `filename=${' '.repeat(60_000)}x`,
    `${' '.repeat(60_000)}filename${' '.repeat(3_000)}`,
    `filename*=${"'".repeat(60_000)}`,
    `filename=${'%'.repeat(60_000)}`,
  ])('a hostile one is read in time: %#', (disposition) => {
    const begun = clock()
    suggestedName(disposition)
    expect(clock() - begun).toBeLessThan(2_000)
  })
})
