import { expect, test } from 'vitest'
import { dataTypeOf } from './data-types.js'

test('files of data have their types, whatever the case of their endings', () => {
  expect(['a/tides.parquet', 'X.PARQUET', 'a.b.jsonl', 'a.zst'].map(dataTypeOf)).toEqual([
    'application/vnd.apache.parquet',
    'application/vnd.apache.parquet',
    'application/x-ndjson',
    'application/zstd',
  ])
  for (const other of ['parquet', '.parquet/', 'a.csv', 'a.', '', 'a.constructor', 'a.__proto__'])
    expect(dataTypeOf(other), other).toBeUndefined()
})
