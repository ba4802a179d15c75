import { z } from 'zod'
import { BOUNDS } from '../bounds.js'
import { ValidationError } from '../errors.js'
import { parseJson } from '../json.js'
import type { UserData } from '../storage/storage.js'

/** One of the consumerParameters of a service: a value that the publisher asks of each consumer. */
const consumerParameter = z.object({
  name: z.string(),
  type: z.string().optional(),
  required: z.boolean().optional(),
  default: z.unknown().optional(),
  /** For a select: a list of objects, or the same as JSON text, whose keys are the values. */
  options: z.unknown().optional(),
})

const consumerParameters = z.array(consumerParameter)

type ConsumerParameter = z.infer<typeof consumerParameter>

/** What the lists of services declare, read once for as long as their documents are kept: requests come often. */
const DECLARED = new WeakMap<unknown[], ConsumerParameter[] | undefined>()
/** The values that selects offer, as well. */
const OPTIONS = new WeakMap<ConsumerParameter, Set<string>>()

/**
 * The userdata of a consumer, checked against the consumerParameters of the service, with the publisher's defaults
 * where nothing was sent. Throws ValidationError that names the parameter.
 */
export function completeUserdata(declared: unknown, sent: UserData | undefined): UserData | undefined {
  if (!Array.isArray(declared) || declared.length === 0) return sent
  const parameters = parametersOf(declared)
  if (!parameters) return sent
  const values: Record<string, unknown> = { ...sent }
  for (const parameter of parameters) {
    const given = Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined
    if (given === undefined || given === '') {
      const { default: fallback, required, name } = parameter
      // by its own name, __proto__ included
      if (fallback !== undefined && fallback !== null && fallback !== '')
        Object.defineProperty(values, name, { value: fallback, enumerable: true, writable: true, configurable: true })
      else if (required) throw refusal(name, 'is required')
      continue
    }
    const problem = problemOf(parameter, given)
    if (problem) throw refusal(parameter.name, problem)
  }
  return values
}

/** The parameters of a list; undefined where it is not one of parameters. */
function parametersOf(declared: unknown[]): ConsumerParameter[] | undefined {
  if (DECLARED.has(declared)) return DECLARED.get(declared)
  const { data } = consumerParameters.safeParse(declared)
  DECLARED.set(declared, data)
  return data
}

function problemOf(parameter: ConsumerParameter, value: unknown): string | undefined {
  const { type } = parameter
  if (type === 'text' && typeof value !== 'string') return 'must be text'
  if (type === 'number' && !isNumber(value)) return 'must be a number'
  if (type === 'boolean' && ![true, false, 'true', 'false'].includes(value as boolean)) return 'must be true or false'
  // an object need not have a text
  if (type === 'select' && (typeof value === 'object' || !optionsOf(parameter).has(String(value))))
    return 'must be one of the options that the publisher offers'
  return undefined
}

function isNumber(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && Number.isFinite(Number(value))
  return typeof value === 'number'
}

function optionsOf(parameter: ConsumerParameter): Set<string> {
  const known = OPTIONS.get(parameter)
  if (known) return known
  const entries = listOf(parameter.options)
  const read = new Set(
    entries.flatMap((entry) => (typeof entry === 'object' && entry !== null ? Object.keys(entry) : [String(entry)])),
  )
  OPTIONS.set(parameter, read)
  return read
}

function listOf(options: unknown): unknown[] {
  try {
    const list = typeof options === 'string' ? parseJson(options, BOUNDS.optionsText) : options
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

function refusal(name: string, why: string): ValidationError {
  return ValidationError.of('userdata', `The userdata field is not complete: ${name} ${why}.`)
}
