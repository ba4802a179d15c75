import { STORAGE_LIMITS } from '../../limits.js'

/** Codes of backend messages. */
export const ROW = 'D'.charCodeAt(0)
export const AUTHENTICATION = 'R'.charCodeAt(0)
/** Codes of messages that end a turn: the requested rows are sent, or there are no more. */
export const END_OF_TURN: ReadonlySet<number> = new Set([...'sCIEZ'].map((code) => code.charCodeAt(0)))

/** Bytes of a column description after its name. The last two are the format: 0 for text. */
const COLUMN = 18

/**
 * Validators of message bodies. The driver's parser trusts lengths and terminators: a missing last byte makes it hang, a negative
 * length makes it loop. So only well-formed messages reach it.
 */
const SHAPES: Readonly<Record<string, (body: Buffer) => boolean>> = {
  R: isAuthentication,
  S: (body) => isStrings(body, 2),
  K: (body) => body.length >= 8,
  E: isFields,
  N: isFields,
  A: (body) => body.length >= 4 && isStrings(body.subarray(4), 2),
  Z: (body) => body.length === 1,
  C: (body) => isStrings(body, 1),
  T: isColumns,
  D: isRow,
  '1': isEmpty,
  '2': isEmpty,
  n: isEmpty,
  s: isEmpty,
  I: isEmpty,
}

/** Whether a message has an expected code and a well-formed body. */
export function isWellFormed(code: number, body: Buffer): boolean {
  return SHAPES[String.fromCharCode(code)]?.(body) ?? false
}

function isEmpty({ length }: Buffer): boolean {
  return length === 0
}

/** Whether a body is exactly `count` NUL-terminated strings. */
function isStrings(body: Buffer, count: number): boolean {
  let at = 0
  for (let left = count; left > 0; left--) {
    const end = body.indexOf(0, at)
    if (end < 0) return false
    at = end + 1
  }
  return at === body.length
}

/** Whether a body is pairs of a letter and a NUL-terminated string, and a final NUL. */
function isFields(body: Buffer): boolean {
  let at = 0
  while (at < body.length && body[at] !== 0) {
    const end = body.indexOf(0, at + 1)
    if (end < 0) return false
    at = end + 1
  }
  return at === body.length - 1
}

/** Whether a body is success or an authentication method of the driver: cleartext password, MD5, SCRAM. */
function isAuthentication(body: Buffer): boolean {
  if (body.length < 4) return false
  const kind = body.readInt32BE(0)
  const sizes: Record<number, boolean> = {
    0: body.length === 4,
    3: body.length === 4,
    5: body.length === 8,
    10: body.length > 5 && body.at(-1) === 0 && body.at(-2) === 0,
    11: true,
    12: true,
  }
  return sizes[kind] ?? false
}

function isColumns(body: Buffer): boolean {
  if (body.length < 2 || body.readInt16BE(0) < 0) return false
  let at = 2
  for (let left = body.readInt16BE(0); left > 0; left--) {
    const end = body.indexOf(0, at)
    if (end < 0 || end - at > STORAGE_LIMITS.sql.columnName || end + 1 + COLUMN > body.length) return false
    at = end + 1 + COLUMN
    if (body.readInt16BE(at - 2) !== 0) return false
  }
  return at === body.length
}

function isRow(body: Buffer): boolean {
  if (body.length < 2 || body.readInt16BE(0) < 0) return false
  let at = 2
  for (let left = body.readInt16BE(0); left > 0; left--) {
    if (at + 4 > body.length) return false
    const length = body.readInt32BE(at)
    if (length < -1 || at + 4 + length > body.length) return false
    at += 4 + Math.max(length, 0)
  }
  return at === body.length
}
