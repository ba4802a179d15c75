import { describe, expect, it } from 'vitest'
import { shown } from './text.js'

const HOSTILE = 'Tide\u001b[31m\u001b]0;owned\u0007 \u202etables\u202c\u0000\u009b2J\u200b\u{e0041}\r\nnext'

/** Characters that control a terminal, or that a reader does not see. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u

describe('text of a stranger', () => {
  it('is one line without control characters, escape sequences and marks of direction', () => {
    const text = shown(HOSTILE)
    expect(text).not.toMatch(UNSEEN)
    expect(text).toContain('tables')
    expect(text).toMatch(/ next$/)
  })

  it('is cut between characters', () => {
    expect(shown('🌊'.repeat(10_000), 10)).toBe(`${'🌊'.repeat(9)}…`)
    expect(shown('a'.repeat(10_000))).toHaveLength(200)
    expect(shown(`${' '.repeat(10_000)}x`)).toBe('…')
    expect(shown('short', 10)).toBe('short')
  })

  it('keeps the marks that scripts need, but no pile of them on one letter', () => {
    expect(shown('Gezeitentafeln für Żółć, 潮汐表, مد وجزر')).toBe('Gezeitentafeln für Żółć, 潮汐表, مد وجزر')
    expect(shown(`e${'\u0301'.repeat(50)}!`)).toBe(`e${'\u0301'.repeat(4)}!`)
  })
})
