import fc from 'fast-check'
import { ROW_FORMATS } from '../../../packages/storage/src/kinds/sql/row-formats.js'
import { readRow } from '../../../packages/storage/src/kinds/sql/values.js'
import { mutatedJson, mutatedText } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const TYPES = [
  16, 17, 20, 21, 23, 25, 26, 114, 199, 600, 651, 700, 701, 718, 1000, 1001, 1005, 1007, 1014, 1016, 1017, 1021, 1022,
]
const MORE = [
  1028, 1040, 1041, 1082, 1083, 1114, 1115, 1182, 1183, 1184, 1185, 1186, 1187, 1231, 1270, 2951, 3802, 3807, 3907,
]
const TEXTS = [
  ...['t', '1', '-1.5', 'NaN', 'Infinity', '\\x0102', '(1,2)', '<(1,2),3>', '{1,2,NULL}', '{"a","b\\"c"}', '{{1},{2}}'],
  ...[
    '2026-01-01',
    '2026-01-01 10:00:00.5+02',
    '0044-03-15 BC',
    'infinity',
    '1 year 2 mons -3 days 04:05:06.7',
    '[0:1]={a,b}',
  ],
]
const text = fc.oneof(
  mutatedText(fc.constantFrom(...TEXTS)),
  mutatedJson(fc.constant({ a: [1, { b: null }] })),
  edgeCaseText(),
)
const cell = fc.tuple(fc.constantFrom(...TYPES, ...MORE), fc.option(text))

/** Values of a database in the server's text format, up to the text that is sent to the consumer. */
export default target({
  inputs: fc.array(cell, { maxLength: 5 }),
  // any error here closes the connection: PostgresWire.emit
  isRejection: () => true,
  read(cells) {
    const read = readRow(
      cells.map(([type]) => type),
      cells.map(([, value]) => value),
    )
    const names = cells.map((_, at) => `c${at}`)
    for (const format of Object.values(ROW_FORMATS)) {
      const line = format.row(names, read)
      holds(line.endsWith('\n'), 'a row is a line')
      if (format === ROW_FORMATS.ndjson)
        holds(Object.keys(JSON.parse(line)).length === cells.length, 'a row is an object of all columns')
    }
  },
})
