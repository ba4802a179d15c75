import * as z from 'zod'
import { ValidationError } from './errors.js'
import { PROTOCOL_LIMITS } from './limits.js'
import type { Parsed, Schema } from './schema.js'

const UNREADABLE = z.never('holds something that cannot be read')

/**
 * Parses untrusted input with a schema. Refuses also input for which zod throws: it compares `length` of any value in
 * place of a string or array, which may have no number form.
 */
export function safeParse<T>(schema: Schema<T>, value: unknown): Parsed<T> {
  try {
    return schema.safeParse(value)
  } catch {
    return UNREADABLE.safeParse(undefined)
  }
}

/**
 * Returns at most ten issues of a failed parse as sentences by field ("The nonce field is required."). The schema's
 * messages continue such a sentence. Values are never quoted.
 */
export function validationError(
  error: (Parsed<unknown> & { success: false })['error'],
  input: object,
): ValidationError {
  const fields: Record<string, string[]> = {}
  for (const issue of error.issues.slice(0, PROTOCOL_LIMITS.body.problems)) {
    const field = String(issue.path[0] ?? 'body')
    const missing = (input as Record<string, unknown>)[field] === undefined && issue.path.length === 1
    const sentence = `The ${field} field ${missing ? 'is required' : ending(issue.message)}.`
    fields[field] = [...(fields[field] ?? []), sentence]
  }
  return new ValidationError(fields)
}

/** Converts a default message of zod ("Invalid input: expected string, received array") to the end of a sentence. */
function ending(message: string): string {
  return message.replace(/^Invalid input: expected (\w+).*$/s, 'must be of type $1').replace(/\.$/, '')
}
