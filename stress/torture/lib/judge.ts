import { createHash } from 'node:crypto'
import type { Sold } from '../world.js'
import { codeOf, type Received } from './http.js'
import type { Ledger, Outcome } from './ledger.js'

/** A range of bytes, inclusive. */
export type Part = [first: number, last: number]

/**
 * Compares the response to a download with the file: no byte may be wrong or beyond the end, and a response that looks
 * complete must be complete. `part` is the requested range.
 */
export function judgeFile(what: string, got: Received, { name, content }: Sold, ledger: Ledger, part?: Part): Outcome {
  const fail = (why: string): Outcome => {
    ledger.addFinding(`${what} of ${name}: ${why}`)
    return 'broken'
  }
  if (got.status === 0) return 'broken'
  if (got.status >= 400) return judgeRefusal(what, got, ledger)
  ledger.checkResponse(what, got, true)
  const [first, last] = got.status === 206 && part ? part : [0, content.length - 1]
  if (got.status !== 200 && got.status !== 206) return fail(`the status is ${got.status}`)
  if (got.status === 206 && !part) return fail('a range that was not requested')
  if (got.status === 206 && got.headers['content-range'] !== `bytes ${first}-${last}/${content.length}`)
    return fail(`content-range is ${got.headers['content-range']}`)
  const expected = content.subarray(first, last + 1)
  if (got.body.length > expected.length) return fail(`${got.body.length - expected.length} bytes beyond its end`)
  if (!got.body.equals(expected.subarray(0, got.body.length))) return fail('bytes are wrong')
  ledger.bytes += got.body.length
  if (!got.complete) return 'broken'
  if (got.body.length < expected.length)
    return fail(`looks complete with ${got.body.length} of ${expected.length} bytes`)
  return 'ok'
}

/** Checks a refusal: JSON with a code, and never a 500. */
export function judgeRefusal(what: string, got: Received, ledger: Ledger): Outcome {
  ledger.checkResponse(what, got, false)
  if (!got.complete) return 'broken'
  const code = codeOf(got)
  ledger.countRefusal(got.status, code ?? 'none')
  if (code === undefined)
    ledger.addFinding(`${what}: ${got.status} without a code: ${got.body.toString().slice(0, 100)}`)
  if (got.status === 500) ledger.addFinding(`${what}: 500 ${code}`)
  if ((got.status === 503 || got.status === 429) && /BUSY|LIMIT|MANY/.test(code ?? '') && !got.headers['retry-after'])
    ledger.addFinding(`${what}: ${got.status} ${code} without Retry-After`)
  return 'refused'
}

/** Checks a fileinfo response: if the file is valid, every field must be correct. */
export function judgeDescription(got: Received, { name, content }: Sold, ledger: Ledger): Outcome {
  if (got.status >= 400) return judgeRefusal('fileinfo', got, ledger)
  ledger.checkResponse('fileinfo', got, false)
  if (got.status !== 200 || !got.complete) return 'broken'
  const [info] = JSON.parse(got.body.toString()) as Record<string, unknown>[]
  if (info?.valid !== true) return 'refused'
  if (info.contentLength !== String(content.length))
    ledger.addFinding(`fileinfo of ${name}: length ${info.contentLength}`)
  const { checksum } = info
  if (checksum !== undefined && checksum !== createHash('sha256').update(content).digest('hex'))
    ledger.addFinding(`fileinfo of ${name}: the checksum is wrong`)
  return 'ok'
}
