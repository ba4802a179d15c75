import { memoized, PROTOCOL_LIMITS, parseJson, ValidationError } from '@tidegate/protocol'
import type { UserData } from '@tidegate/storage'
import * as z from 'zod'

/** One of the consumerParameters of a service: a value that each consumer enters. */
const consumerParameter = z.object({
  name: z.string(),
  type: z.string().optional(),
  required: z.boolean().optional(),
  default: z.unknown().optional(),
  /** Options of a select: a list of objects whose keys are the values, or that list as JSON text. */
  options: z.unknown().optional(),
})

const consumerParameters = z.array(consumerParameter)

type ConsumerParameter = z.infer<typeof consumerParameter>

/**
 * Validates the userdata of a consumer against the consumerParameters of the service, and fills in the publisher's
 * defaults. Throws a ValidationError that names the parameter.
 */
export function completeUserdata(declared: unknown, userdata: UserData | undefined): UserData | undefined {
  if (!Array.isArray(declared) || declared.length === 0) return userdata
  const parameters = parametersOf(declared)
  if (!parameters) return userdata
  const values: Record<string, unknown> = { ...userdata }
  for (const parameter of parameters) {
    const value = Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined
    if (value === undefined || value === '') {
      const { default: fallback, required, name } = parameter
      // defineProperty: an assignment to __proto__ would set the prototype
      if (fallback !== undefined && fallback !== null && fallback !== '')
        Object.defineProperty(values, name, { value: fallback, enumerable: true, writable: true, configurable: true })
      else if (required) throw refusal(name, 'is required')
      continue
    }
    const problem = problemOf(parameter, value)
    if (problem) throw refusal(parameter.name, problem)
  }
  return values
}

/** The declared parameters; undefined if the list is malformed. */
const parametersOf = memoized((declared: unknown[]) => consumerParameters.safeParse(declared).data)

function problemOf(parameter: ConsumerParameter, value: unknown): string | undefined {
  const { type } = parameter
  if (type === 'text' && typeof value !== 'string') return 'must be text'
  if (type === 'number' && !isNumber(value)) return 'must be a number'
  if (type === 'boolean' && ![true, false, 'true', 'false'].includes(value as boolean)) return 'must be true or false'
  // an object without a prototype has no string form
  if (type === 'select' && (typeof value === 'object' || !optionsOf(parameter).has(String(value))))
    return 'must be one of the options that the publisher offers'
  return undefined
}

function isNumber(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && Number.isFinite(Number(value))
  return typeof value === 'number'
}

/** The accepted values of a select. */
const optionsOf = memoized(({ options }: ConsumerParameter): Set<string> => {
  const entries = listOf(options)
  return new Set(
    entries.flatMap((entry) => (typeof entry === 'object' && entry !== null ? Object.keys(entry) : [String(entry)])),
  )
})

function listOf(options: unknown): unknown[] {
  try {
    const list = typeof options === 'string' ? parseJson(options, PROTOCOL_LIMITS.optionsText) : options
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

function refusal(name: string, problem: string): ValidationError {
  return ValidationError.of('userdata', `The userdata field is not complete: ${name} ${problem}.`)
}
