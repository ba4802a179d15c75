import { trimmed } from './blanks.js'

/** A response head that is not HTTP, too long, or ambiguous about the end of the body. */
export class MalformedResponse extends Error {
  readonly code = 'STORAGE_MALFORMED'
}

export interface ResponseHead {
  status: number
  /** From the status line to the empty line. */
  text: string
}

/** Fields that define the end of a body. */
const FRAMING = ['content-length', 'transfer-encoding'] as const

/** Control characters except tab. In a value they may hide a coding, or split the head for another parser. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/

interface Field {
  name: string
  value: string
}

/**
 * Repairs the head of a response (Latin-1, with its empty line) as far as RFC 9112 allows, for the strict parser of undici. All
 * later readers get the repaired head, so they cannot differ.
 * @throws MalformedResponse if the head cannot be repaired, or its framing is ambiguous
 */
export function repairedHead(head: string): ResponseHead {
  const [first = '', ...lines] = head.split(/\r?\n/).slice(0, -2)
  // a higher minor version includes 1.1 (RFC 9110, 2.5)
  const [, minor, status, reason = ''] = /^HTTP\/1\.(\d)[ \t]+([1-9]\d\d)(?:[ \t]+([\s\S]*))?$/i.exec(first) ?? []
  if (minor === undefined) throw new MalformedResponse('no status line')
  const fields = framed(unfolded(lines))
  const statusLine = `HTTP/1.${minor === '0' ? 0 : 1} ${status} ${reason.replaceAll(new RegExp(CONTROL, 'g'), ' ')}`
  const text = [statusLine, ...fields.map(({ name, value }) => `${name}: ${value}`), '', ''].join('\r\n')
  return { status: Number(status), text }
}

/** Parses field lines (RFC 9112, 5). Joins folded lines; ignores white space before the colon and around the value. */
function unfolded(lines: string[]): Field[] {
  const fields: Field[] = []
  for (const line of lines) {
    if (CONTROL.test(line)) throw new MalformedResponse('control character')
    const last = fields.at(-1)
    if (/^[ \t]/.test(line) && last) {
      last.value += ` ${line}`
      continue
    }
    const [, name, value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:(.*)$/.exec(line) ?? []
    if (name === undefined) throw new MalformedResponse('no header field')
    fields.push({ name, value })
  }
  return fields.map(({ name, value }) => ({ name, value: trimmed(value) }))
}

/** Returns fields with unambiguous framing: one length, or chunks, or neither (RFC 9112, 6.3). */
function framed(fields: Field[]): Field[] {
  const [lengths, codings] = FRAMING.map((framing) => listOf(fields, framing)) as [Field[], Field[]]
  const length = new Set(lengths.map(({ value }) => value.replace(/^0+(?=\d)/, '')))
  const coding = new Set(codings.map(({ value }) => value.toLowerCase()).filter((value) => value !== 'identity'))
  coding.delete('')
  const isChunked = coding.has('chunked')
  const isAmbiguous = length.size > 1 || ![...length].every((digits) => /^\d{1,15}$/.test(digits))
  if (isAmbiguous || coding.size > (isChunked ? 1 : 0) || (isChunked && length.size > 0))
    throw new MalformedResponse('ambiguous framing')
  const [size] = length
  const framing = isChunked ? { ...codings[0], value: 'chunked' } : size !== undefined && { ...lengths[0], value: size }
  if (!framing) return fields.filter(({ name }) => !isFraming(name))
  const at = fields.findIndex(({ name }) => name === framing.name)
  return fields.flatMap((field, index) => (index === at ? (framing as Field) : isFraming(field.name) ? [] : field))
}

/** Returns the members of a list field, from all of its lines. */
function listOf(fields: Field[], wanted: string): Field[] {
  return fields
    .filter(({ name }) => name.toLowerCase() === wanted)
    .flatMap(({ name, value }) => value.split(',').map((member) => ({ name, value: trimmed(member) })))
}

function isFraming(name: string): boolean {
  return (FRAMING as readonly string[]).includes(name.toLowerCase())
}
