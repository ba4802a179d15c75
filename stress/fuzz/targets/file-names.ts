import { validateHeaderValue } from 'node:http'
import fc from 'fast-check'
import { contentDisposition, fallbackName } from '../../../packages/provider/src/http/files/disposition.js'
import { suggestedName } from '../../../packages/storage/src/http/content-disposition.js'
import { lastSegment } from '../../../packages/storage/src/http/naming.js'
import { safeName } from '../../../packages/storage/src/safe-name.js'
import { mutatedText } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const dispositions = fc.constantFrom(
  'attachment; filename="tides \\"2026\\".csv"; filename*=UTF-8\'\'H%C3%B6he.csv',
  "attachment; filename*=utf-8'de'%e2%82%ac%20rates.csv",
  'inline;filename=plain.txt',
  'attachment; filename="a/b\\\\c"',
  'attachment; filename="=?UTF-8?B?SMO2aGU=?= =?iso-8859-1?q?=F6_1.csv?="',
  "attachment; filename=H\xc3\xb6he 1.csv; filename*=Shift_JIS''%92%AA.csv",
  'attachment; filename="C:\\Users\\aux.tar.gz"',
)
const types = fc.constantFrom('text/csv', 'application/json; charset=utf-8', 'application/octet-stream')
const paths = fc.constantFrom('a/b%20c.csv', 'H%C3%B6he.csv', 'x', '.hidden', '%2e%2e%2f.a', 'a.b.c')

/** File names from storages, up to the header that is sent to the consumer. */
export default target({
  inputs: fc.record({
    disposition: fc.oneof(mutatedText(dispositions), edgeCaseText()),
    path: fc.oneof(mutatedText(paths), edgeCaseText()),
    type: fc.oneof(mutatedText(types), edgeCaseText()),
    name: edgeCaseText(300),
  }),
  read({ disposition, path, type, name }) {
    const segment = URL.canParse(`https://a.example/${path}`)
      ? lastSegment(new URL(`https://a.example/${path}`))
      : undefined
    const fallback = fallbackName(3, type)
    for (const one of [suggestedName(disposition), segment, name, undefined]) {
      const header = contentDisposition(one, fallback)
      validateHeaderValue('content-disposition', header)
      holds(
        /^attachment;filename=(?:"[\x20-\x7e]*"|[^\s";]+)/.test(header),
        'a header in the format that clients parse',
      )
      holds(header.length < 4000, 'a header of bounded length')
      const safe = safeName(one ?? '')
      holds(!/[/\\\p{Cc}\p{Cs}\u202a-\u202e]/u.test(safe) && !safe.startsWith('.'), 'a bare name')
      holds(safe === safeName(safe), 'safeName is idempotent')
    }
  },
})
