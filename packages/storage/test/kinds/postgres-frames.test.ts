import { describe, expect, it } from 'vitest'
import {
  authentication,
  columns,
  done,
  failure,
  fields,
  message,
  ready,
  row,
} from '../../../../test/helpers/fake-postgres.js'
import { Frames } from '../../src/kinds/sql/frames.js'
import { STORAGE_LIMITS } from '../../src/limits.js'

/** Frames for which rows have been requested. */
function frames(maxRow = 1000, rows = 3) {
  let begun = 0
  const made = new Frames(maxRow, () => {
    begun += 1
  })
  if (rows > 0) made.request(rows)
  return { frames: made, rowsBegun: () => begun }
}

const HONEST = Buffer.concat([
  authentication(0),
  message('S', 'TimeZone\0UTC\0'),
  message('K', Buffer.alloc(8)),
  message('1'),
  message('2'),
  columns({ a: 25, b: 23 }),
  row('x', null),
  row('', 'y'.repeat(300)),
  message('s'),
  ready('T'),
])

describe('the framing of PostgreSQL messages, before they are parsed (threat 44)', () => {
  it('passes on whole messages, in any chunks', () => {
    for (const size of [1, 2, 3, 5, 7, 64, HONEST.length]) {
      const { frames: split, rowsBegun } = frames()
      const handed: Buffer[] = []
      for (let at = 0; at < HONEST.length; at += size) handed.push(...split.push(HONEST.subarray(at, at + size)))
      expect(Buffer.concat(handed).equals(HONEST), `pieces of ${size}`).toBe(true)
      expect(rowsBegun()).toBe(2)
      expect(split.awaitingRows).toBe(false)
      // each chunk that is passed on begins and ends at a message boundary
      for (const piece of handed) {
        let at = 0
        while (at < piece.length) at += 1 + piece.readUInt32BE(at + 1)
        expect(at).toBe(piece.length)
      }
    }
  })

  it.each<[string, Buffer]>([
    ['an error without its end', message('E', 'SERROR\0')],
    ['an error with something after its end', message('E', `${fields('SERROR')}x`)],
    ['a notice of nothing', message('N')],
    ['a length below that of the length', message('1', '', 3)],
    ['a length of zero', message('1', '', 0)],
    ['a setting without value', message('S', 'TimeZone\0')],
    ['an unknown way to log in', authentication(7)],
    ['a list of ways to log in without its end', authentication(10, 'SCRAM-SHA-256\0')],
    ['a key of no length', message('K', 'x')],
    ['a row with a length before its beginning', message('D', Buffer.from([0, 2, 0, 0, 0, 1, 65, 255, 255, 255, 200]))],
    ['a row with a length after its end', message('D', Buffer.from([0, 1, 0, 0, 255, 0, 65]))],
    ['a row with fewer columns than it says', message('D', Buffer.from([127, 255, 255, 255, 255, 255]))],
    ['a row with something after its end', message('D', Buffer.from([0, 1, 0, 0, 0, 1, 65, 66]))],
    ['a column in binary', columns({ a: 25 }, 1)],
    ['a column with a name of 2,000 bytes', columns({ ['n'.repeat(2000)]: 25 })],
    ['columns that are not there', message('T', Buffer.from([0, 5]))],
    ['data to copy', message('d', 'abc')],
    ['a question for data to copy', message('G', Buffer.from([0, 0, 0]))],
    ['a message that nobody knows', message('x', 'y')],
    ['a step of the login twice', Buffer.concat([authentication(11, 'r=x'), authentication(11, 'r=x')])],
    ['a row of 700 MB', message('D', '', 700_000_000)],
    ['a message of 4 GB', message('D', '', 0xffffffff)],
    ['a setting of 700 MB', message('S', '', 700_000_000)],
    ['a row above the limit', row('x'.repeat(1001))],
    ['more rows than were asked for', Buffer.concat([row('1'), row('2'), row('3'), row('4')])],
    ['more bytes of rows than may be asked for', Buffer.concat(['a', 'b', 'c'].map((text) => row(text.repeat(900))))],
  ])('rejects %s', (_, bytes) => {
    expect(() => frames().frames.push(bytes)).toThrow()
    const byteByByte = frames().frames
    expect(() => [...bytes].map((byte) => byteByByte.push(Buffer.from([byte])))).toThrow()
  })

  it('rejects rows that were not requested, and other messages above their bound', () => {
    expect(() => frames(1000, 0).frames.push(row('x'))).toThrow()
    const { frames: chatty } = frames()
    const notice = message('N', fields(`M${'x'.repeat(1000)}`))
    const many = Math.floor(STORAGE_LIMITS.sql.overhead / notice.length)
    for (let count = 0; count < many; count++) chatty.push(notice)
    expect(() => chatty.push(notice)).toThrow()
  })

  it('allows any number of requested batches', () => {
    const { frames: long } = frames()
    for (let batch = 0; batch < 100_000; batch++) {
      long.request(1)
      long.push(row('x'))
      long.push(message('s'))
    }
    long.request(1)
    long.push(Buffer.concat([done('SELECT 0'), ready('T')]))
    expect(() => long.push(failure('once more'))).not.toThrow()
  })

  it('buffers the received part of a message, not the announced length', () => {
    const large = frames(STORAGE_LIMITS.sql.row.paid).frames
    const before = process.memoryUsage().arrayBuffers
    large.push(message('D', '', STORAGE_LIMITS.sql.row.paid - 1))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000)
  })
})
