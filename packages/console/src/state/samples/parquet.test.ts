import { expect, it } from 'vitest'
import { PARQUET } from '../../../../../test/helpers/parquet-file.js'
import { parquetColumns } from './parquet.js'

const file = () => Uint8Array.from(PARQUET)

it('describes the columns of a Parquet file with their statistics over all row groups', () => {
  const told = parquetColumns(file())
  expect(told).toMatchObject({ kind: 'columns', rows: 3, all: 6 })
  expect(told?.columns.map((one) => Object.values(one).join(' | '))).toEqual([
    'station | string | north | south | 1',
    'height | double | -2.25 | 3 | 0',
    'at | timestamp | 2026-01-01T00:00:00.000Z | 2026-01-03T00:00:00.000Z | 0',
    'count | int64 | 1 | 9007199254740993 | 0',
    'place.x | int64 | 1 | 3 | 1',
    'place.y | int64 | 2 | 4 | 1',
  ])
})

it('survives files of strangers: cut, changed at any byte, or with a huge description', () => {
  const whole = file()
  expect(parquetColumns(new Uint8Array(0))).toBeUndefined()
  expect(parquetColumns(whole.slice(-300))).toBeUndefined()
  for (let at = whole.length - 1000; at < whole.length; at++) {
    for (const value of [0, 0x1c, 0xff]) {
      const changed = file()
      changed[at] = value
      const told = parquetColumns(changed)
      expect(told?.columns.length ?? 0).toBeLessThanOrEqual(200)
    }
  }
  // a megabyte of nested structures, and lists that claim more than there is
  for (const byte of [0x1c, 0x19, 0xf9]) {
    const huge = new Uint8Array(1_000_000).fill(byte)
    huge.set(whole.slice(-4), huge.length - 4)
    for (const length of [500_000, 999_992]) {
      new DataView(huge.buffer).setUint32(huge.length - 8, length, true)
      expect(parquetColumns(huge)).toBeUndefined()
    }
  }
})
