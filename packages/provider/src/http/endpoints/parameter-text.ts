import { ValidationError } from '@tidegate/protocol'
import type { FastifyInstance } from 'fastify'

/**
 * Returns why a text cannot be a parameter, as the end of a sentence about its field; undefined if it can. PostgreSQL
 * stores no NUL, and encoders replace half of a surrogate pair.
 */
export function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'must not hold a NUL byte'
  if (!text.isWellFormed()) return 'must be well-formed Unicode'
  return undefined
}

/** Refuses path and query parameters that no database can look up, on every route before its handler. */
export function refuseUnstorableParams(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    for (const part of [request.params, request.query] as Record<string, unknown>[])
      for (const name in part) {
        const value = part[name]
        for (const text of Array.isArray(value) ? value : [value]) {
          const problem = name !== '*' && typeof text === 'string' ? textProblem(text) : undefined
          if (problem !== undefined) return done(ValidationError.of(name, `The ${name} field ${problem}.`))
        }
      }
    done()
  })
}
