import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/helpers/measured.js'
import { plainLine, plainLines, plainText } from './plain-text.js'

describe('plain text', () => {
  it('has no markup, and no invisible characters', () => {
    expect(plainText('# Tides\n\n\n\n* **high** `water` ![](a.png)[here](https://x.example)', 200)).toBe(
      'Tides\n\n high water here',
    )
    expect(plainText('a<script>b</script><<b>c', 200)).toBe('a b c')
    expect(plainLine('a\u202eb\u200d\u0000\u{e0041}\ufe0f\ud800c\n<b>d</b> __init__.py', 200)).toBe('abc d __init__.py')
    expect(plainLine(`a${'\u0301'.repeat(50)}`, 200)).toBe(`a${'\u0301'.repeat(4)}`)
    expect(plainLines('a,\tb\r\n  <c>\u202e', 200)).toBe('a,\tb\n  <c>')
  })

  it('is bounded in length and time', () => {
    for (const part of ['<', '[', '*', '![', ' \n', '<a', '[](', '`'])
      for (const convert of [plainLine, plainLines, plainText]) {
        const begun = clock()
        expect(Array.from(convert(part.repeat(1_000_000), 4_000)).length).toBeLessThanOrEqual(4_000)
        expect(clock() - begun).toBeLessThan(2_000)
      }
    expect(plainLine('🌊'.repeat(10), 5)).toBe('🌊🌊🌊🌊…')
  })
})
