import { describe, expect, it } from 'vitest'
import { pictureOf } from './picture.js'
import { jsonTable, separatedTable } from './table.js'

/** Returns 64 bytes with text (one character for a byte) at places. */
function bytes(parts: Record<number, string>): Uint8Array<ArrayBuffer> {
  const made = new Uint8Array(64)
  for (const [at, text] of Object.entries(parts))
    made.set(
      [...text].map((one) => one.charCodeAt(0)),
      Number(at),
    )
  return made
}

describe('pictureOf', () => {
  it.each([
    ['image/gif', false, { 0: 'GIF89a\x10\x00\x10\x00' }],
    ['image/gif', true, { 0: 'GIF89a\xff\xff\xff\xff' }],
    ['image/jpeg', false, { 0: '\xff\xd8\xff\xe0\x00\x04\x00\x00\xff\xc2\x00\x11\x08\x00\x20\x00\x40' }],
    ['image/jpeg', true, { 0: '\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff' }],
    ['image/webp', false, { 0: 'RIFF', 8: 'WEBPVP8X', 24: '\x0f\x00\x00\x0f\x00\x00' }],
    ['image/webp', true, { 0: 'RIFF', 8: 'WEBPVP8X', 24: '\xff\xff\x00\xff\xff\x00' }],
    ['image/webp', true, { 0: 'RIFF', 8: 'WEBPVP8L', 20: '\x2f\xff\xff\xff\x0f' }],
    ['image/webp', false, { 0: 'RIFF', 8: 'WEBPVP8 ', 23: '\x9d\x01\x2a\x10\x00\x10\x00' }],
    ['image/avif', true, { 4: 'ftypavif', 24: 'ispe\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00\xff\xff' }],
  ])('%s, too large: %s', (type, isTooLarge, parts) => {
    expect(pictureOf(bytes(parts))).toEqual({ type, isTooLarge })
  })

  it('knows nothing else, and no picture without a size', () => {
    for (const parts of [
      { 0: '<svg width="1">' },
      { 0: '\xff\xd8\xff\xe0\x00\x00' },
      { 4: 'ftypavif' },
      { 0: 'GIF89a' },
    ])
      expect(pictureOf(bytes(parts))).toBeUndefined()
    expect(pictureOf(new Uint8Array(0))).toBeUndefined()
  })
})

describe('tables', () => {
  it('have twenty rows, thirty columns and short cells, without a cut line', async () => {
    expect(await separatedTable('a;b;c\n1;"x;y";3\n4;5;6\n2', true)).toMatchObject({
      head: ['a', 'b', 'c'],
      rows: [
        ['1', 'x;y', '3'],
        ['4', '5', '6'],
      ],
      hasMore: true,
    })
    const wide = await separatedTable(`${'c,'.repeat(99)}c\n${'long'.repeat(99)}\n`.repeat(30), false)
    expect([wide?.head.length, wide?.columns, wide?.rows.length, wide?.hasMore]).toEqual([30, 100, 20, true])
    expect(wide?.rows[0]?.[0]?.length).toBeLessThanOrEqual(81)
    expect(await separatedTable('', false)).toBeUndefined()
  })

  it('are read of JSON lines with any keys and depths', () => {
    const table = jsonTable('{"a":1,"__proto__":2}\n\n[1]\n{"a":{"b":null}}\n', false)
    expect(table?.head).toEqual(['a', '__proto__', ''])
    expect(table?.rows).toEqual([
      ['1', '2', ''],
      ['', '', '[1]'],
      ['{"b":null}', '', ''],
    ])
  })
})
