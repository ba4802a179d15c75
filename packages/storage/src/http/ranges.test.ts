import { describe, expect, it } from 'vitest'
import { byteRange } from './ranges.js'

describe('a Range header', () => {
  it.each([
    ['bytes=0-4', { start: 0, end: 4 }],
    ['bytes=3-', { start: 3, end: 9 }],
    ['bytes=3-99', { start: 3, end: 9 }],
    ['bytes=9-9', { start: 9, end: 9 }],
    ['bytes=-4', { start: 6, end: 9 }],
    ['bytes=-99', { start: 0, end: 9 }],
  ])('%s selects bytes of a ten-byte file as in RFC 9110', (header, range) => {
    expect(byteRange(header, 10)).toEqual(range)
  })

  it.each(['bytes=10-', 'bytes=10-12', 'bytes=-0'])('%s is not satisfiable for a file of ten bytes', (header) => {
    expect(byteRange(header, 10)).toBe('unsatisfiable')
  })

  it.each([
    undefined,
    '',
    'bytes=',
    'bytes=-',
    'bytes=5-3',
    'bytes=0-1,3-4',
    'lines=0-4',
    'bytes=a-b',
    'bytes= 0-4',
  ])('%j is ignored: the whole file is sent', (header) => {
    expect(byteRange(header, 10)).toBeUndefined()
  })

  it('is never satisfiable for an empty file', () => {
    for (const header of ['bytes=0-', 'bytes=0-0', 'bytes=-1'])
      expect(byteRange(header, 0), header).toBe('unsatisfiable')
  })
})
