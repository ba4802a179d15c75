import { describe, expect, it } from 'vitest'
import { formatOf, releaseFacts, releaseOf } from './release.js'

describe('a version of files', () => {
  it.each([
    ['a/b.CSV', '', 'csv'],
    ['a.csv.gz', 'application/gzip', 'csv.gz'],
    ['model.v2.onnx', '', 'onnx'],
    ['release-1.2', 'text/csv; charset=utf-8', 'csv'],
    ['README', 'text/plain', 'txt'],
    ['', 'application/vnd.apache.parquet', 'parquet'],
    ['', 'application/octet-stream', undefined],
    ['x'.repeat(100_000), 'y'.repeat(100_000), undefined],
  ])('has the format of its name %s, otherwise of its type %s: %s', (name, contentType, format) => {
    expect(formatOf({ name: name.slice(0, 100_000), contentType })).toBe(format)
  })

  it('has the formats of the most files first, and the size of all if it is known', () => {
    const [csv, json, unsized] = [{ name: 'a.csv', size: 1 }, { name: 'b.json', size: 2 }, { name: 'c.json' }]
    expect(releaseFacts([csv, json, { ...json }])).toEqual({ files: 3, bytes: 5, formats: ['json', 'csv'] })
    expect(releaseFacts([csv, unsized])).toEqual({ files: 2, formats: ['csv', 'json'] })
  })

  it('is read from a stranger in a bounded form', () => {
    const told = (release: unknown) => releaseOf({ additionalInformation: { release } })
    for (const wrong of [undefined, null, [], 'x', {}, { number: 0 }, { number: '3' }, { number: 1e300 }])
      expect(told(wrong)).toBeUndefined()
    const formats = ['csv', 7, '<b>', 'x'.repeat(1000), ...Array(10_000).fill('json')]
    const notes = `a\u202e\u0000b${'x'.repeat(1_000_000)}`
    const read = told({ number: 2, notes, date: {}, files: -1, bytes: 'x', formats })
    expect(read).toEqual({
      number: 2,
      notes: expect.stringMatching(/^a {2}bx+/),
      formats: ['csv', ...Array(6).fill('json')],
    })
    expect(read?.notes?.length).toBeLessThanOrEqual(2000)
  })
})
