import { createHash } from 'node:crypto'
import type { Sold } from '../world.js'
import { codeOf, type Got } from './http.js'
import type { Ledger, Outcome } from './ledger.js'

/** Bytes from the first to the last one, both included. */
export type Part = [first: number, last: number]

/**
 * Compares the answer to a download with what the file is: not a byte may be wrong or beyond its end, and what looks
 * complete has to be. `part` is the range that was asked for.
 */
export function judgeFile(what: string, got: Got, { name, content }: Sold, ledger: Ledger, part?: Part): Outcome {
  const fail = (why: string): Outcome => {
    ledger.find(`${what} of ${name}: ${why}`)
    return 'broken'
  }
  if (got.status === 0) return 'broken'
  if (got.status >= 400) return judgeRefusal(what, got, ledger)
  const [first, last] = got.status === 206 && part ? part : [0, content.length - 1]
  if (got.status !== 200 && got.status !== 206) return fail(`answered with ${got.status}`)
  if (got.status === 206 && !part) return fail('a part that was not asked for')
  if (got.status === 206 && got.headers['content-range'] !== `bytes ${first}-${last}/${content.length}`)
    return fail(`content-range is ${got.headers['content-range']}`)
  const due = content.subarray(first, last + 1)
  if (got.body.length > due.length) return fail(`${got.body.length - due.length} bytes beyond its end`)
  if (!got.body.equals(due.subarray(0, got.body.length))) return fail('bytes are wrong')
  ledger.bytes += got.body.length
  if (!got.complete) return 'broken'
  if (got.body.length < due.length) return fail(`looks complete with ${got.body.length} of ${due.length} bytes`)
  return 'ok'
}

/** A refusal is JSON with a code, and never an error that nobody foresaw. */
export function judgeRefusal(what: string, got: Got, ledger: Ledger): Outcome {
  if (!got.complete) return 'broken'
  const code = codeOf(got)
  ledger.refused(got.status, code ?? 'none')
  if (code === undefined) ledger.find(`${what}: ${got.status} without a reason: ${got.body.toString().slice(0, 100)}`)
  if (got.status === 500) ledger.find(`${what}: 500 ${code}`)
  if ((got.status === 503 || got.status === 429) && /BUSY|LIMIT|MANY/.test(code ?? '') && !got.headers['retry-after'])
    ledger.find(`${what}: ${got.status} ${code} without Retry-After`)
  return 'refused'
}

/** What fileinfo says of a file: where it says that it is there, all of it is right. */
export function judgeDescription(got: Got, { name, content }: Sold, ledger: Ledger): Outcome {
  if (got.status === 0 || !got.complete) return 'broken'
  if (got.status !== 200) return judgeRefusal('fileinfo', got, ledger)
  const [info] = JSON.parse(got.body.toString()) as Record<string, unknown>[]
  if (info?.valid !== true) return 'refused'
  if (info.contentLength !== String(content.length)) ledger.find(`fileinfo of ${name}: length ${info.contentLength}`)
  const { checksum } = info
  if (checksum !== undefined && checksum !== createHash('sha256').update(content).digest('hex'))
    ledger.find(`fileinfo of ${name}: the checksum is wrong`)
  return 'ok'
}
