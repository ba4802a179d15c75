import { PROTOCOL_LIMITS } from '../limits.js'
import { isAccessListType } from './credentials.js'

const LIMITS = PROTOCOL_LIMITS.document

/** A field with too many elements, and the rest of the message. */
export type ListLimitProblem = [field: string, message: string]

/**
 * Returns the first list of a parsed document that exceeds its limit; undefined if none does. The schema handles values
 * that are no lists or objects.
 */
export function listLimitProblem(document: unknown): ListLimitProblem | undefined {
  const whole = part(document)
  const root = part(whole.credentialSubject ?? whole)
  if (list(whole['@context']).length > LIMITS.context) return tooMany('@context', LIMITS.context)
  const services = list(root.services)
  if (services.length > LIMITS.services) return tooMany('services', LIMITS.services)
  const credentials = new CredentialCounts()
  let problem = credentials.problem('credentials', root.credentials)
  for (const [at, service] of services.entries()) {
    const { credentials: own, consumerParameters } = part(service)
    const path = `services.${at}`
    problem ??= credentials.problem(`${path}.credentials`, own)
    problem ??= parametersProblem(`${path}.consumerParameters`, consumerParameters)
    if (problem) return problem
  }
  return problem
}

/** Counts entries and values of all credentials of a document: each request iterates over them. */
class CredentialCounts {
  private entries = 0
  private values = 0
  private accessLists = 0

  /** Counts one `credentials` field: an object with lists, or in version 5 a list of such objects or of plain entries. */
  problem(field: string, credentials: unknown): ListLimitProblem | undefined {
    const parts = Array.isArray(credentials) ? credentials : [credentials]
    if (parts.length > LIMITS.credentials) return tooMany(field, LIMITS.credentials)
    for (const one of parts) {
      const { allow, deny } = part(one)
      for (const entries of [[one], list(allow), list(deny)]) {
        if (entries.length > LIMITS.credentials) return tooMany(field, LIMITS.credentials)
        this.entries += entries.length
        for (const entry of entries) {
          const { type, values } = part(entry)
          this.values += list(values).length
          if (isAccessListType(type)) this.accessLists += 1
        }
      }
    }
    if (this.entries > LIMITS.credentialEntries) return tooMany('credentials', LIMITS.credentialEntries)
    if (this.values > LIMITS.credentialValues)
      return ['credentials', `must not hold more than ${LIMITS.credentialValues} values`]
    if (this.accessLists > LIMITS.accessLists)
      return ['credentials', `must not name more than ${LIMITS.accessLists} access lists`]
    return undefined
  }
}

function parametersProblem(field: string, declared: unknown): ListLimitProblem | undefined {
  const parameters = list(declared)
  if (parameters.length > LIMITS.consumerParameters) return tooMany(field, LIMITS.consumerParameters)
  const long = parameters.findIndex((parameter) => {
    const { options } = part(parameter)
    const text = typeof options === 'string' ? options : ''
    return list(options).length > LIMITS.options || text.length > PROTOCOL_LIMITS.optionsText.length
  })
  return long < 0 ? undefined : tooMany(`${field}.${long}.options`, LIMITS.options)
}

function tooMany(field: string, limit: number): ListLimitProblem {
  return [field, `must not hold more than ${limit} entries`]
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function part(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
