import fc from 'fast-check'
import { MalformedResponse } from '../../../packages/storage/src/egress/responses/response-head.js'
import { ResponseHeads } from '../../../packages/storage/src/egress/responses/response-heads.js'
import { mutatedText } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const HONEST = fc.constantFrom(
  'HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Length: 4\r\n\r\ntide',
  'HTTP/1.0 206 \r\nContent-Range: bytes 0-3/8\r\nContent-Length: 4\r\n\r\ntide',
  'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ntide\r\n0\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n',
)
const HEAD = /^HTTP\/1\.[01] [1-9]\d\d[ \r\n][\s\S]*?\n\r?\n/

/** Answers of storages, up to the bytes that the HTTP library parses. */
export default target({
  inputs: fc.record({ text: fc.oneof(mutatedText(HONEST), edgeCaseText()), piece: fc.integer({ min: 1, max: 50 }) }),
  read({ text, piece }) {
    const bytes = Buffer.from(text, 'latin1')
    const whole = taken(bytes, bytes.length)
    holds(taken(bytes, piece) === whole, 'pieces make no difference')
    if (whole === undefined || whole === '') return
    const head = HEAD.exec(whole)?.[0]
    holds(head !== undefined, 'a head')
    const codings = head?.match(/^transfer-encoding\b.*$/gim) ?? []
    holds(
      codings.every((line) => /^[\w-]+[ \t]*:[ \t]*chunked[ \t]*\r?$/i.test(line)),
      'no coding but chunks',
    )
    holds(taken(Buffer.from(whole, 'latin1'), whole.length) === whole, 'a checked head stays as it is')
  },
})

/** Returns what may be parsed of bytes that arrive in pieces; undefined if they are refused. */
function taken(bytes: Buffer, piece: number): string | undefined {
  const heads = new ResponseHeads()
  heads.expect()
  let text = ''
  try {
    for (let at = 0; at < bytes.length; at += piece)
      text += heads.take(bytes.subarray(at, at + piece))?.toString('latin1') ?? ''
  } catch (error) {
    if (!(error instanceof MalformedResponse)) throw error
    return undefined
  }
  return text
}
