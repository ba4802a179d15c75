import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  authentication,
  columns,
  done,
  failure,
  message,
  ready,
  row,
  type Script,
} from '../../../../test/helpers/fake-postgres.js'
import { heldBy } from '../../../../test/helpers/measured.js'
import { against, BEGUN, textOf } from './hostile-postgres.js'

describe('a PostgreSQL server that violates the protocol (threat 44)', () => {
  const typed = (type: number, text: string): Script => ({
    rows: (to) =>
      to.write(Buffer.concat([message('1'), message('2'), columns({ a: type }), row(text), done('SELECT 1')])),
  })
  const says = (stage: keyof Script, ...bytes: Buffer[]): Script => ({
    [stage]: (to: Socket) => to.write(Buffer.concat(bytes)),
  })

  const keys = (count: number) => Array.from({ length: count }, (_, index) => `"k${index.toString(36)}":1`)
  const MANY = Object.fromEntries(Array.from({ length: 1665 }, (_, index) => [`c${index}`, 25]))

  it.each<[string, Script]>([
    ['an error without its end, for which the parser waits for ever', says('startup', message('E', 'SERROR'))],
    ['a way to log in that the parser throws at', says('startup', authentication(7))],
    ['a password asked for again and again', says('startup', authentication(3), authentication(3))],
    ['SCRAM without a list', says('startup', authentication(10, '\0\0'))],
    ['a step of SCRAM that was not begun', says('startup', authentication(11, 'r=x,s=eA==,i=1'))],
    ['bytes that the library reads for ever', typed(17, 'a\\b')],
    ['bytes in a list', typed(1001, '{"a\\\\b"}')],
    ['a date of 100,000 digits', typed(1082, '1'.repeat(100_000))],
    ['a date of 100,000 digits in a list', typed(1182, `{${'1'.repeat(100_000)}}`)],
    ['an interval of 100,000 digits', typed(1186, '1'.repeat(100_000))],
    ['JSON that is none', typed(114, '{')],
    ['JSON without bottom', typed(3802, '['.repeat(500_000) + ']'.repeat(500_000))],
    ['JSON without bottom in a list', typed(3807, `{"${'['.repeat(100_000)}${']'.repeat(100_000)}"}`)],
    ['JSON above its bound', typed(3802, `[${'[],'.repeat(400_000)}1]`)],
    ['a list without bottom', typed(1009, '{'.repeat(500_000))],
    ['JSON of too many keys', typed(3802, `{${keys(40_000).join()}}`)],
    [
      'more columns than a database has',
      says('rows', message('1'), message('2'), columns(MANY), row(...Object.keys(MANY))),
    ],
    ['more columns than announced', says('rows', BEGUN, row('1', '2'))],
    ['columns announced twice', says('rows', BEGUN, columns({ a: 25, b: 25 }), row('1'))],
    ['a column in binary', says('rows', message('1'), message('2'), columns({ a: 20 }, 1), row('1'))],
    ['a request for data', says('rows', message('G', Buffer.from([0, 0, 0])))],
    ['readiness before the end', says('rows', BEGUN, row('1'), ready())],
    ['rows before their columns', says('rows', row('1'))],
    ['rows of the transaction', says('begin', row('1'), done('BEGIN'), ready('T'))],
    ['an error that tells', says('rows', failure('secret-4711'))],
    ['an error at login', says('startup', failure('secret-4711'))],
  ])('%s: is refused at once, quoting nothing of it', async (_, script) => {
    const { open } = await against(script)
    const delay = await heldBy(async () => {
      const error = await open().then(
        ({ body }) =>
          textOf(body).then(
            () => undefined,
            (broken) => broken,
          ),
        (refused) => refused,
      )
      expect(error).toMatchObject({ code: 'STORAGE_REFUSED' })
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/secret|4711|127\.0\.0\.1/)
    })
    expect(delay).toBeLessThan(500)
  })

  it('control: values of every type are returned unchanged', async () => {
    const values: Record<number, [string, string]> = {
      17: ['\\x00ff', '"{""type"":""Buffer"",""data"":[0,255]}"'],
      20: ['9007199254740993', '9007199254740993'],
      16: ['t', 'true'],
      23: ['-5', '-5'],
      701: ['1e400', 'Infinity'],
      1184: ['2026-01-01 00:00:00+00', '2026-01-01T00:00:00.000Z'],
      1186: ['01:02:03', '"{""hours"":1,""minutes"":2,""seconds"":3}"'],
      1009: ['{a,NULL,"b c"}', '"[""a"",null,""b c""]"'],
      1182: ['{2026-01-01}', `"[""${new Date(2026, 0, 1).toISOString()}""]"`],
      3802: ['{"k": [1, null]}', '"{""k"":[1,null]}"'],
      600: ['(1,2)', '"{""x"":1,""y"":2}"'],
      1700: ['1.50', '1.50'],
      25: ['a\rb', '"a\rb"'],
    }
    const types = Object.fromEntries(Object.keys(values).map((type) => [`t${type}`, Number(type)]))
    const { open, file, asking } = await against({
      rows: (to) =>
        to.write(
          Buffer.concat([
            message('1'),
            message('2'),
            columns(types),
            row(...Object.values(values).map(([text]) => text)),
            done('SELECT 1'),
          ]),
        ),
    })
    const [heading, ...lines] = (await textOf((await open()).body)).split('\n')
    expect(heading).toBe(Object.keys(types).join(','))
    expect(lines.join('\n')).toBe(
      `${Object.values(values)
        .map(([, text]) => text)
        .join(',')}\n`,
    )
    const ndjson = JSON.parse(await textOf((await file('', { format: 'ndjson' }).open(asking)).body))
    expect(ndjson).toMatchObject({ t20: '9007199254740993', t16: true, t23: -5, t701: null, t3802: { k: [1, null] } })
  })

  it('control: a query without rows, and an empty query', async () => {
    const none = await against({ rows: (to) => to.write(Buffer.concat([BEGUN, done('SELECT 0')])) })
    expect(await textOf((await none.open()).body)).toBe('')
    const empty = await against({
      rows: (to) => to.write(Buffer.concat([message('1'), message('2'), message('n'), message('I')])),
    })
    expect(await textOf((await empty.open()).body)).toBe('')
  })
})
