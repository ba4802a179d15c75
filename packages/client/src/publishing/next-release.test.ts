import { expect, it } from 'vitest'
import { nextRelease } from './next-release.js'

it('counts versions of files from 1', () => {
  const date = '2026-11-28T12:00:00Z'
  const file = { name: 'a.csv', size: 1, index: 0, available: true }
  const first = nextRelease(undefined, { notes: undefined, files: [file], date })
  expect(first).toEqual({ number: 1, date, files: 1, bytes: 1, formats: ['csv'] })
  const second = nextRelease(first, { notes: ' more ', files: [file, file], date })
  expect(second).toMatchObject({ number: 2, notes: 'more', files: 2 })
  expect(nextRelease(second, { notes: 'other', files: undefined, date })).toEqual({ ...second, notes: 'other' })
  // the present files are not described now
  expect(nextRelease(second, { notes: undefined, files: [], date })).toEqual({ number: 3, date })
  // a document of other software
  expect(nextRelease({}, { notes: undefined, files: [file], date })).toMatchObject({ number: 2 })
})
