import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clamped, plainLine, stretchesOf } from './hostile.js'
import { pathOf } from './paths.js'
import { curlLine, quotedWord, safeFileName } from './shell.js'

const visible = (text: string) => stretchesOf(text).flatMap((stretch) => ('text' in stretch ? [stretch.text] : []))
const codes = (text: string) => stretchesOf(text).flatMap((stretch) => ('code' in stretch ? [stretch.code] : []))

describe('texts of strangers', () => {
  it('show marks of direction, controls and invisible characters by their codes', () => {
    expect(codes('a\u202egpj.exe\u0000\u200b\ufeff\u00ad')).toEqual(['U+202E', 'U+0000', 'U+200B', 'U+FEFF', 'U+00AD'])
    expect(codes('\ud800')).toEqual(['U+D800'])
  })

  it('keep emoji, scripts and line breaks', () => {
    const text = '👩‍👩‍👧 مرحبا שלום नमस्ते\nnext\tline'
    expect(visible(text)).toEqual([text])
  })

  it('lose no character, and every part is visible', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const stretches = stretchesOf(text)
        const all = stretches.map((stretch) => ('text' in stretch ? stretch.text : stretch.control)).join('')
        expect(all).toBe(text.replace(/\r\n?/g, '\n').replace(/(\p{M}{4})\p{M}+/gu, '$1'))
        expect(visible(text).join('')).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
      }),
    )
  })

  it('are cut between characters, and report the number of hidden ones', () => {
    expect(clamped('x'.repeat(10_000), 100)).toEqual({ text: 'x'.repeat(100), rest: 9_900 })
    const families = '👩‍👩‍👧'.repeat(50)
    const { text, rest } = clamped(families, 100)
    expect(text.length + rest).toBe(families.length)
    expect(text.length % '👩‍👩‍👧'.length).toBe(0)
  })

  it('with endless marks over one character stay bounded', () => {
    expect(visible(`a${'\u0301'.repeat(5_000)}`).join('').length).toBe(5)
    expect(clamped(`a${'\u0301'.repeat(5_000)}`, 100).text.length).toBeLessThanOrEqual(100)
  })

  it('become one line for titles and labels', () => {
    expect(plainLine('  a\u202e\nb\u0000  c ')).toBe('a b c')
  })
})

describe('text for a shell or a disk', () => {
  it('is one word, whatever a name holds', () => {
    expect(quotedWord(`it's $(rm -rf /)`)).toBe(`'it'\\''s $(rm -rf /)'`)
    expect(curlLine('https://a/b', 'd/x y')).toBe(`curl -fL --create-dirs -o './d/x y' 'https://a/b'`)
  })

  it('is a path of its own for each file of an order (B1)', () => {
    const names = ['a/x.csv', 'b/x.csv', 'A/x.csv', '../x.csv', 'a', '.hidden/-y', 'a/x:1', 'a/x?1', undefined, '//']
    const files = names.map((name, index) => ({ index, available: true, ...(name === undefined ? {} : { name }) }))
    expect(files.map(({ index }) => pathOf(files, index))).toEqual([
      ...['a/x.csv', 'b/x.csv', 'A/2-x.csv', 'x.csv', '4-a', 'hidden/y', 'a/x_1', 'a/7-x_1', 'file-8', 'file-9'],
    ])
  })

  it('is a file name that leaves no folder and begins with no dash', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const safe = safeFileName(name, 'file')
        expect(safe).not.toMatch(/[/\\\p{Cc}\u202e]|^[.-]/u)
        expect(safe.length).toBeGreaterThan(0)
      }),
    )
    expect(safeFileName('../../etc/passwd', 'file')).toBe('_.._etc_passwd')
  })
})
