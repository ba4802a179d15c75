import { printable } from '@tidegate/protocol/values'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Answer } from './answer.js'
import { boundedText } from './body.js'

/** Most fields of a validation error, and most reasons of each field. */
const MAX_FIELDS = 20
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/

/** The code that market front ends look for. People read the sentence before it. */
const LEGACY_CODE = / \(denied with code: ConsumableCodes\.\w{1,64}\)/

/** Converts a refusal to an error. Never throws: of an unreadable one only the status is reported. */
export async function refusalOf(response: Answer): Promise<TidegateError> {
  const { status } = response
  const retryAfter = secondsOf(response.headers.get('retry-after'))
  const unread = new TidegateError('HTTP_ERROR', `The provider answered ${status}.`, { status, retryAfter })
  try {
    const body: unknown = JSON.parse(await boundedText(response, LIMITS.refusal))
    if (typeof body !== 'object' || body === null) return unread
    const { errors, error, code } = body as Record<string, unknown>
    const fields = fieldsOf(errors)
    if (fields) {
      const message = printable(Object.values(fields).flat().join(' '), LIMITS.message)
      return new TidegateError('VALIDATION', message || 'Validation error', { status, fields, retryAfter })
    }
    if (typeof error !== 'string') return unread
    const own = typeof code === 'string' && CODE.test(code) ? code : 'HTTP_ERROR'
    return new TidegateError(own, printable(inPlainWords(error), LIMITS.message) || unread.message, {
      status,
      retryAfter,
    })
  } catch {
    return unread
  }
}

/** Replaces words of the wire that market front ends look for. */
const inPlainWords = (text: string) =>
  text
    .replace(LEGACY_CODE, '')
    .replace('Asset is not consumable', 'The asset is not available')
    .replace(' in Elasticsearch', '')

function fieldsOf(errors: unknown): Record<string, string[]> | undefined {
  if (typeof errors !== 'object' || errors === null) return undefined
  const entries = Object.entries(errors).slice(0, MAX_FIELDS)
  return Object.fromEntries(
    entries.map(([field, reasons]) => [
      printable(field, LIMITS.message),
      [reasons]
        .flat()
        .slice(0, MAX_FIELDS)
        .filter((reason) => typeof reason === 'string')
        .map((reason) => printable(reason, LIMITS.message)),
    ]),
  )
}

/** Returns Retry-After in seconds; ignores a date. */
function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined
}
