import { z } from 'zod'
import { BOUNDS } from './bounds.js'
import { ValidationError } from './errors.js'

const UNREADABLE = z.never('holds something that cannot be read')

/**
 * What a schema makes of a value from outside. The library itself throws for some: it compares the `length` of
 * whatever stands where a text or a list is due, and an object may hold one that has no value. That is refused too.
 */
export function parsedBy<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> {
  try {
    return schema.safeParse(value)
  } catch {
    return UNREADABLE.safeParse(undefined) as z.ZodSafeParseResult<z.output<S>>
  }
}

/**
 * The problems of a failed parse as sentences by field ("The nonce field is required."), ten at most. The schema's own
 * messages are the end of such a sentence; values are never quoted.
 */
export function validationError(error: z.ZodError, given: object): ValidationError {
  const fields: Record<string, string[]> = {}
  for (const issue of error.issues.slice(0, BOUNDS.body.problems)) {
    const field = String(issue.path[0] ?? 'body')
    const missing = (given as Record<string, unknown>)[field] === undefined && issue.path.length === 1
    const sentence = `The ${field} field ${missing ? 'is required' : ending(issue.message)}.`
    fields[field] = [...(fields[field] ?? []), sentence]
  }
  return new ValidationError(fields)
}

/** The library's own words ("Invalid input: expected string, received array") as the end of a sentence. */
function ending(message: string): string {
  return message.replace(/^Invalid input: expected (\w+).*$/s, 'must be of type $1').replace(/\.$/, '')
}
