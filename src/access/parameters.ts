import { z } from 'zod'
import { ValidationError } from '../errors.js'
import type { UserData } from '../storage/storage.js'

/** One of the consumerParameters of a service: a value that the publisher asks of each consumer. */
const consumerParameter = z.looseObject({
  name: z.string(),
  type: z.string().optional(),
  required: z.boolean().optional(),
  default: z.unknown().optional(),
  /** For a select: a list of objects, or the same as JSON text, whose keys are the values. */
  options: z.unknown().optional(),
})

const consumerParameters = z.array(consumerParameter)

type ConsumerParameter = z.infer<typeof consumerParameter>

/**
 * The userdata of a consumer, checked against the consumerParameters of the service, with the publisher's defaults
 * where nothing was sent. Throws ValidationError that names the parameter.
 */
export function completeUserdata(declared: unknown, sent: UserData | undefined): UserData | undefined {
  if (!Array.isArray(declared) || declared.length === 0) return sent
  const parameters = consumerParameters.safeParse(declared)
  if (!parameters.success) return sent
  const values: Record<string, unknown> = { ...sent }
  for (const parameter of parameters.data) {
    const given = Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined
    if (given === undefined || given === '') {
      const { default: fallback, required, name } = parameter
      if (fallback !== undefined && fallback !== null && fallback !== '') values[name] = fallback
      else if (required) throw refusal(name, 'is required')
      continue
    }
    const problem = problemOf(parameter, given)
    if (problem) throw refusal(parameter.name, problem)
  }
  return values
}

function problemOf({ type, options }: ConsumerParameter, value: unknown): string | undefined {
  if (type === 'text' && typeof value !== 'string') return 'must be text'
  if (
    type === 'number' &&
    (String(value).trim() === '' || !Number.isFinite(Number(value)) || typeof value === 'boolean')
  )
    return 'must be a number'
  if (type === 'boolean' && ![true, false, 'true', 'false'].includes(value as boolean)) return 'must be true or false'
  if (type === 'select' && !optionsOf(options).has(String(value)))
    return 'must be one of the options that the publisher offers'
  return undefined
}

function optionsOf(options: unknown): Set<string> {
  let list = options
  if (typeof options === 'string') {
    try {
      list = JSON.parse(options)
    } catch {
      return new Set()
    }
  }
  const entries = Array.isArray(list) ? list : []
  return new Set(
    entries.flatMap((entry) => (typeof entry === 'object' && entry !== null ? Object.keys(entry) : [String(entry)])),
  )
}

function refusal(name: string, why: string): ValidationError {
  return ValidationError.of('userdata', `The userdata field is not complete: ${name} ${why}.`)
}
