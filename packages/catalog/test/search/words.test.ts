import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { folded } from '../../src/search/documents/folded.js'
import { asWord, phraseOf, phrasesOf, wordsOf } from '../../src/search/documents/words.js'

/** Letters of scripts without spaces, with their marks: some are the beginning of others. */
const LETTERS = ['海', '洋', 'の', 'ガ', 'カ', '한', 'ก', 'กิ', 'กิ่', 'เ', 'ខ្', 'ខ', 'ဘာ', '𠀋']
const TEXT = fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 8 })

/** Whether a phrase is in a text, by its definition. */
function isIn(part: string, text: string): boolean {
  const [words, found] = [wordsOf(text), phraseOf(part)]
  if (!found) return false
  const last = found.words.length - 1
  return words.some((_, from) =>
    found.words.every((word, at) =>
      at === last && found.prefix ? words[from + at]?.startsWith(word) : words[from + at] === word,
    ),
  )
}

describe('words inside text without spaces', () => {
  it('are found exactly in texts with all of their letters in sequence; a single one with any further marks', () => {
    fc.assert(
      fc.property(TEXT, TEXT, (text, part) => {
        const expected = text.some((_, from) =>
          part.every((letter, at) =>
            part.length === 1 ? text[from + at]?.startsWith(letter) : text[from + at] === letter,
          ),
        )
        expect(isIn(part.join(''), text.join(''))).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })

  it('are as many as letters, within text of other scripts as well', () => {
    expect(wordsOf('iPhone手机壳 2024年')).toEqual(['iphone', '手机', '机壳', '壳', '2024', '年'])
    expect(phrasesOf('iPhone手机')).toEqual([
      { words: ['iphone'], prefix: false },
      { words: ['手机'], prefix: false },
    ])
    expect(phraseOf('2024年')).toEqual({ words: ['2024', '年'], prefix: true })
    expect(phraseOf('手机 case')).toEqual({ words: ['手机', '机', 'case'], prefix: false })
    // nothing can follow an ideograph within its letter, but a mark can follow a Thai one
    expect(phraseOf('手机', true)?.prefix).toBe(false)
    expect(phraseOf('ที', true)?.prefix).toBe(true)
    expect(phraseOf('กาที', true)).toEqual({ words: ['กา', 'าที'], prefix: true })
  })

  it('are no single words, for which whole values are taken', () => {
    expect(['海洋', '海', 'ทะเล'].map(asWord)).toEqual([undefined, undefined, undefined])
    expect(['Tide', 'हिन्दी', 'ß'].map(asWord)).toEqual(['tide', 'हिन्दी', 'ss'])
  })

  it('have marks up to a bound', () => {
    const [word] = wordsOf(`ก${'\u0e34'.repeat(1000)}ข`)
    expect(word).toBe(`ก${'\u0e34'.repeat(4)}ข`)
  })
})

describe('folded text', () => {
  it('is the same if it is folded again, and whatever case and normal form it had', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...'ßẞİıΣςǅﬁ㎏ﾊﾞがกิन्æŁ'),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      ),
    })
    fc.assert(
      fc.property(text, (one) => {
        const folding = folded(one)
        expect(folded(folding)).toBe(folding)
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) expect(folded(one.normalize(form))).toBe(folding)
        expect(folded(one.toLowerCase())).toBe(folding)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['accents', 'Données Ångström Łódź', 'donnees angstrom lodz'],
    ['width', 'ＡＢＣ１２ ﾃﾞｰﾀ', 'abc12 データ'],
    ['ligatures', 'ﬁ Œuvre Ærø', 'fi oeuvre aero'],
    ['case in German, Greek and Turkish', 'STRASSE Straße ΟΔΟΣ οδός İI ıi', 'strasse strasse οδοσ οδοσ ii ii'],
    ['vowel points', 'نَصّ שָׁלוֹם', 'نص שלום'],
    ['characters that nobody sees', 'Don\u00adnées می\u200cخواهم ئـــا', 'donnees میخواهم يا'],
  ])('has no %s', (_, text, expected) => {
    expect(folded(text)).toBe(expected)
  })

  it.each([
    'が',
    'ぱ',
    'हिन्दी',
    'தமிழ்',
    'ที่',
    'កម្ពុជា',
    'မြန်မာ',
    'བོད',
    '한국',
    'ދިވެހި',
  ])('has the marks that distinguish words: %s', (text) => {
    expect(folded(text)).toBe(text)
  })
})
