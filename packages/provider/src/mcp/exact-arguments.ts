import type { z } from 'zod'

/** Words that models send for an absent value. */
const NOTHING = /^(null|none|undefined)$/i

/**
 * Returns the arguments of a call as the tool's shape has them, if another spelling has that one meaning: JSON as text,
 * numbers and booleans as text, a list of one, and empty values for absent ones. All other values stay as they are, so
 * that the tool refuses them by name.
 */
export function exactArguments(shape: z.ZodRawShape, given: unknown): unknown {
  const whole = [given, ...(typeof given === 'string' ? jsonOf(given) : []), ...soleOf(given), ...absentOf(given, {})]
  const args = whole.find(isRecord)
  if (!args) return given
  const exact = Object.entries(args).map(([name, value]) => [
    name,
    Object.hasOwn(shape, name) ? exactly(shape[name], value) : value,
  ])
  return Object.fromEntries(exact.filter(([, value]) => value !== undefined && value !== null))
}

/** Returns the first reading of a value that the schema accepts, otherwise the value. */
function exactly(schema: z.ZodRawShape[string] | undefined, value: unknown): unknown {
  const accepts = (reading: unknown) => (schema as z.ZodType).safeParse(reading).success
  const readings = [...absentOf(value, undefined), ...readingsOf(value)]
  const at = readings.findIndex(accepts)
  return at < 0 ? value : readings[at]
}

function readingsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    const full = value.filter((entry) => entry !== null && entry !== '')
    return [value, full, full.map((entry) => (typeof entry === 'number' ? String(entry) : entry)), ...soleOf(value)]
  }
  if (typeof value === 'number') return [value, String(value), ...(value === 0 || value === 1 ? [value === 1] : [])]
  if (typeof value !== 'string') return [value, [value]]
  const text = value.trim()
  const truth = /^(true|false)$/i.test(text) ? [text.toLowerCase() === 'true'] : []
  const number = /^-?\d{1,15}(\.\d+)?$/.test(text) ? [Number(text)] : []
  const nothing = NOTHING.test(text) ? [undefined] : []
  return [value, text, ...number, ...truth, ...jsonOf(text), ...nothing, text.toLowerCase(), [text]]
}

function absentOf<T>(value: unknown, absent: T): T[] {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
    ? [absent]
    : []
}

/** The only entry of a list, and its readings. */
function soleOf(value: unknown): unknown[] {
  if (!Array.isArray(value) || value.length !== 1 || Array.isArray(value[0])) return []
  return isRecord(value[0]) ? value : readingsOf(value[0])
}

/** What a JSON text of an object or list holds. */
function jsonOf(text: string): unknown[] {
  if (!/^\s*[[{]/.test(text)) return []
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
