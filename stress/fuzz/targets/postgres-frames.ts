import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { parse } from 'pg-protocol'
import { Frames, ProtocolError } from '../../../packages/storage/src/kinds/sql/frames.js'
import { authentication, columns, done, failure, message, ready, row } from '../../../test/helpers/fake-postgres.js'
import { mutatedBytes } from '../lib/mutate.js'
import { holds, target } from '../lib/target.js'

const COLUMNS = columns({ a: 25, b: 23, __proto__: 1184 })
const SESSIONS = [
  [authentication(0), message('S', 'server_version\x0017\0'), message('K', Buffer.alloc(8)), ready()],
  [authentication(10, 'SCRAM-SHA-256\0\0'), authentication(11, 'r=a,s=b,i=4096'), authentication(12, 'v=c')],
  [
    message('1'),
    message('2'),
    COLUMNS,
    row('a', '1', null),
    row('', '2', 'x'),
    message('s'),
    done('SELECT 2'),
    ready(),
  ],
  [
    failure('no'),
    message('N', 'SNOTICE\0Mx\0\0'),
    message('A', Buffer.from('\0\0\0\x01a\0b\0')),
    message('I'),
    ready('E'),
  ],
  [
    message('n'),
    message('T', Buffer.from('ffff', 'hex')),
    message('D', Buffer.from('ffff', 'hex')),
    message('D', Buffer.from('0000', 'hex')),
  ],
].map((messages) => Buffer.concat(messages) as Uint8Array)

/** Bytes of a PostgreSQL server, in chunks: whatever passes is parsed by the driver, which trusts it. */
export default target({
  inputs: fc.record({
    sent: mutatedBytes(fc.constantFrom(...SESSIONS)),
    cuts: fc.array(fc.nat({ max: 60 }), { maxLength: 10 }),
    rows: fc.nat({ max: 3 }),
  }),
  isRejection: (error) => error instanceof ProtocolError,
  async read({ sent, cuts, rows }) {
    const frames = new Frames(10_000, () => undefined)
    if (rows > 0) frames.request(rows)
    const passed: Buffer[] = []
    let at = 0
    for (const size of [...cuts, sent.length]) {
      const chunk = Buffer.from(sent.subarray(at, at + size))
      passed.push(...frames.push(chunk))
      at += size
    }
    const stream = new PassThrough()
    let messages = 0
    const parsed = parse(stream, () => {
      messages += 1
    })
    stream.end(Buffer.concat(passed))
    await parsed
    holds(messages <= sent.length / 4, 'a message has a header')
    holds(
      Buffer.concat(passed).equals(Buffer.from(sent).subarray(0, Buffer.concat(passed).length)),
      'bytes pass unchanged',
    )
  },
})
