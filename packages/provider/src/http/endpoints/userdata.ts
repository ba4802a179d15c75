import * as z from 'zod'
import { PROVIDER_LIMITS } from '../../limits.js'
import { documented } from './docs.js'
import { textProblem } from './parameter-text.js'

const { userdata: LONGEST, userdataDepth: DEEPEST } = PROVIDER_LIMITS.params

/** Values of the consumer for the storage: a JSON object, as text in a query. */
export const userdata = documented(
  z
    .union([z.string(), z.record(z.string(), z.unknown())], 'must be a JSON object')
    .transform((value, context): Record<string, unknown> => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      const problem = userdataProblem(text)
      if (problem === undefined) return JSON.parse(text) as Record<string, unknown>
      context.addIssue(problem)
      return z.NEVER
    }),
  {
    schema: { type: ['object', 'string'], maxLength: LONGEST },
    description: 'Values for the storage, as a JSON object: query parameters of a GET, the JSON body of a POST.',
    example: { day: '2026-01-01' },
  },
)

function userdataProblem(text: string): string | undefined {
  if (text.length > LONGEST) return `must not be longer than ${LONGEST} characters`
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'must be a JSON object'
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be a JSON object'
  return valueProblem(value, DEEPEST)
}

function valueProblem(value: unknown, levelsLeft: number): string | undefined {
  if (typeof value === 'string') return textProblem(value)
  if (typeof value !== 'object' || value === null) return undefined
  if (levelsLeft === 0) return `must not be nested deeper than ${DEEPEST}`
  for (const [key, inner] of Object.entries(value)) {
    if (['__proto__', 'constructor', 'prototype'].includes(key)) return 'must not use a reserved name'
    const problem = textProblem(key) ?? valueProblem(inner, levelsLeft - 1)
    if (problem) return problem
  }
  return undefined
}
