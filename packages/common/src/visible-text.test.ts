import { describe, expect, it } from 'vitest'
import { jsonText } from './terminal.js'
import { visible, visibleLines } from './visible-text.js'

const HOSTILE = 'Tide\u001b[31m\u001b]0;owned\u0007 \u202etables\u202c\u0000\u009b2J\u200b\u3164\u034f\u{e0041}\r\nnext'

/** Characters that control a terminal, or that a reader does not see. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

describe('text of a stranger for a terminal', () => {
  it('has only visible characters, in one line or in lines', () => {
    expect(visible(HOSTILE)).not.toMatch(UNSEEN)
    expect(visibleLines(`a\nb${HOSTILE}`).replaceAll('\n', '')).not.toMatch(UNSEEN)
    expect(visibleLines('a\nb\n')).toBe('a\nb\n')
    expect(visible('Żółć 潮汐 ❤\ufe0f')).toBe('Żółć 潮汐 ❤')
  })

  it('is escaped in JSON, and parsed unchanged', () => {
    const value = { name: `${HOSTILE}\ud800`, [HOSTILE]: 'key', amount: 5n }
    const text = jsonText(value)
    expect(text).not.toMatch(UNSEEN)
    expect(JSON.parse(text)).toEqual({ ...value, amount: '5' })
  })
})
