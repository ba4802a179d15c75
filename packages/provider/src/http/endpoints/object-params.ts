import * as z from 'zod'
import { PROVIDER_LIMITS } from '../../limits.js'
import { documented } from './docs.js'
import { textProblem } from './parameter-text.js'

const { params: PARAMS, policies: POLICIES } = PROVIDER_LIMITS

/** Values of the consumer for the storage: a JSON object, as text in a query. */
export const userdata = documented(objectParam({ longest: PARAMS.userdata, deepest: PARAMS.userdataDepth }), {
  schema: { type: ['object', 'string'], maxLength: PARAMS.userdata },
  description: 'Values for the storage, as a JSON object: query parameters of a GET, the JSON body of a POST.',
  example: { day: '2026-01-01' },
})

/** What the policy server gets of a client: the id of a session, and where the wallet goes. */
export const policyServer = documented(objectParam({ longest: POLICIES.parameter, deepest: POLICIES.parameterDepth }), {
  schema: { type: ['object', 'string'], maxLength: POLICIES.parameter },
  description:
    'What the policy server of the provider gets, as a JSON object or its text: sessionId of the session in which the credentials were presented, and successRedirectUri, errorRedirectUri, responseRedirectUri, presentationDefinitionUri.',
  example: { sessionId: 'b3BhcXVl' },
})

/** A message to the policy server: presented credentials are in it. */
export const policyMessage = documented(objectParam({ longest: POLICIES.message, deepest: POLICIES.messageDepth }), {
  schema: { type: ['object', 'string'], maxLength: POLICIES.message },
  description:
    'The message: its action (getPD, checkSessionId or presentationRequest), sessionId, and what belongs to it.',
  example: { action: 'checkSessionId', sessionId: 'b3BhcXVl' },
})

interface Bounds {
  /** Characters of the JSON text. */
  longest: number
  /** Levels of nesting. */
  deepest: number
}

/** A JSON object, or its text. Never a list of several. */
function objectParam(bounds: Bounds) {
  return z
    .union([z.string(), z.record(z.string(), z.unknown())], 'must be a JSON object')
    .transform((value, context): Record<string, unknown> => {
      const problem = typeof value === 'string' ? textOfObjectProblem(value, bounds) : objectProblem(value, bounds)
      if (problem !== undefined) {
        context.addIssue(problem)
        return z.NEVER
      }
      return typeof value === 'string' ? (JSON.parse(value) as Record<string, unknown>) : value
    })
}

function textOfObjectProblem(text: string, bounds: Bounds): string | undefined {
  if (text.length > bounds.longest) return tooLong(bounds)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'must be a JSON object'
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be a JSON object'
  return valueProblem(value, bounds.deepest, bounds.deepest)
}

function objectProblem(value: Record<string, unknown>, bounds: Bounds): string | undefined {
  // the depth first: the text of a deep object overflows the stack
  const problem = valueProblem(value, bounds.deepest, bounds.deepest)
  if (problem !== undefined) return problem
  return JSON.stringify(value).length > bounds.longest ? tooLong(bounds) : undefined
}

const tooLong = ({ longest }: Bounds) => `must not be longer than ${longest} characters`

function valueProblem(value: unknown, levelsLeft: number, deepest: number): string | undefined {
  if (typeof value === 'string') return textProblem(value)
  if (typeof value !== 'object' || value === null) return undefined
  if (levelsLeft === 0) return `must not be nested deeper than ${deepest}`
  for (const [key, inner] of Object.entries(value)) {
    if (['__proto__', 'constructor', 'prototype'].includes(key)) return 'must not use a reserved name'
    const problem = textProblem(key) ?? valueProblem(inner, levelsLeft - 1, deepest)
    if (problem) return problem
  }
  return undefined
}
