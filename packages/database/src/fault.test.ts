import { describe, expect, it, vi } from 'vitest'
import { describeFault, FaultLog, faultOf } from './fault.js'

const SECRET = 'postgres://tide:hunter2@host'
const failure = (code?: string, message = SECRET) => Object.assign(new TypeError(message), code ? { code } : {})

describe('a failure of the database', () => {
  it.each([
    ['SQLITE_FULL', 'full'],
    ['ENOSPC', 'full'],
    ['53100', 'full'],
    ['SQLITE_CORRUPT_INDEX', 'corrupt'],
    ['SQLITE_NOTADB', 'corrupt'],
    ['SQLITE_BUSY_SNAPSHOT', 'locked'],
    ['40P01', 'locked'],
    ['SQLITE_CANTOPEN', 'readonly'],
    ['25006', 'readonly'],
    ['SQLITE_IOERR_READ', 'disk'],
    ['58030', 'disk'],
    ['STATE_GONE', 'gone'],
    ['28P01', 'refused'],
    ['53300', 'unreachable'],
    ['ECONNREFUSED', 'unreachable'],
    ['42P01', 'failed'],
  ])('with code %s is of kind %s', (code, kind) => {
    expect(faultOf(failure(code))).toEqual({ kind, code })
  })

  it.each([
    ['Connection terminated unexpectedly', { kind: 'unreachable', code: 'NO_ANSWER' }],
    ['timeout exceeded when trying to connect', { kind: 'unreachable', code: 'NO_ANSWER' }],
    ['ConnectionFailed("Unable to open connection: 14")', { kind: 'readonly', code: 'SQLITE_CANTOPEN' }],
    ['ConnectionFailed("Unable to open connection: 99")', { kind: 'failed', code: 'SQLITE_99' }],
    ['something else', { kind: 'failed', code: 'TypeError' }],
  ])('without a code is recognised by its message: %s', (message, fault) => {
    expect(faultOf(failure(undefined, message))).toEqual(fault)
  })

  it('is described by kind and code, without its message or a code that is free text (threat 85)', () => {
    for (const code of ['28P01', SECRET, undefined]) {
      const described = describeFault(faultOf(failure(code)))
      expect(described).toMatch(/^[\w ,.'-]+ \(\w+\)$/)
      expect(described).not.toContain('hunter2')
    }
  })

  it('is logged at intervals with a count, and so is its end (threat 85)', () => {
    vi.useFakeTimers()
    try {
      const lines: [object, string][] = []
      const write = (fields: object, text: string) => void lines.push([fields, text])
      const log = new FaultLog({ debug: write, info: write, warn: write, error: write })
      for (let time = 0; time < 5; time++)
        expect(log.record(failure('ECONNREFUSED'))).toMatchObject({ code: 'STATE_UNAVAILABLE' })
      vi.advanceTimersByTime(10_000)
      log.record(failure('ECONNREFUSED'))
      log.wrote()
      const fault = { kind: 'unreachable', code: 'ECONNREFUSED' }
      expect(lines).toEqual([
        [{ ...fault, times: 1 }, 'state store failed'],
        [{ ...fault, times: 5 }, 'state store failed'],
        [{ after: 'ECONNREFUSED' }, 'state store recovered'],
      ])
      expect(log.current).toBeUndefined()
      expect(JSON.stringify(lines)).not.toContain('hunter2')
    } finally {
      vi.useRealTimers()
    }
  })

  it('is probed with a write when idle and after failures; a successful write does not clear corruption', () => {
    vi.useFakeTimers()
    try {
      const log = new FaultLog()
      expect([log.isProbeDue(), log.isProbeDue()]).toEqual([true, false])
      log.wrote()
      vi.advanceTimersByTime(14_999)
      expect(log.isProbeDue()).toBe(false)
      vi.advanceTimersByTime(1)
      expect([log.isProbeDue(), log.isProbeDue()]).toEqual([true, false])
      vi.advanceTimersByTime(1000)
      log.record(failure('SQLITE_CORRUPT'))
      expect([log.isProbeDue(), log.isProbeDue()]).toEqual([true, false])
      vi.advanceTimersByTime(1000)
      expect(log.isProbeDue()).toBe(true)
      log.wrote()
      expect(log.current).toEqual({ kind: 'corrupt', code: 'SQLITE_CORRUPT' })
    } finally {
      vi.useRealTimers()
    }
  })
})
