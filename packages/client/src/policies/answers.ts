import { fieldsOf, printable } from '@tidegate/protocol/values'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { wholeAnswer } from '../http/whole-answer.js'
import { LIMITS } from '../limits.js'

/** Statuses with which the provider passes a refusal of its policy server on. */
const PASSED_ON = [400, 403, 404, 422]

/**
 * Sends a message of a session to the policy server. Returns the `message` of its answer as fields, also of a refusal. Throws
 * TidegateError like other requests; `BAD_ANSWER` for another answer.
 */
export async function askPolicyServer(
  { api }: Context,
  message: Record<string, unknown>,
  signal: AbortSignal | undefined,
): Promise<{ agrees: boolean; message: Record<string, unknown>; words: string }> {
  const sent = {
    method: 'POST' as const,
    path: '/api/services/PolicyServerPassthrough',
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify({ policyServerPassthrough: message })).buffer as ArrayBuffer,
    accepts: PASSED_ON,
  }
  const { status, text } = await wholeAnswer(api, sent, { time: LIMITS.deadline, most: LIMITS.policies.answer, signal })
  const answer = fieldsOf(parsed(text))
  if (answer.success === undefined && status >= 400)
    throw new TidegateError('BAD_ANSWER', wordsOf(answer.error) || `The provider answered ${status}.`, { status })
  const agrees = status === 200 && answer.success === true
  return { agrees, message: fieldsOf(answer.message), words: wordsOf(answer.message) }
}

/** The words of a message for a person: itself, its error, or the policies that failed. */
function wordsOf(message: unknown): string {
  if (typeof message === 'string') return printable(message, LIMITS.message)
  const { error, errorMessage, policyResults } = fieldsOf(message)
  const said = [error, errorMessage].find((one): one is string => typeof one === 'string')
  return printable(said ?? failedPolicies(policyResults), LIMITS.message)
}

/** Names the policies that a presentation failed, as walt.id reports them. */
function failedPolicies(policyResults: unknown): string {
  const list = (value: unknown) => (Array.isArray(value) ? value.slice(0, LIMITS.policies.results) : [])
  const failed = list(fieldsOf(policyResults).results).flatMap((one) => {
    const { credential, policyResults: results } = fieldsOf(one)
    const policies = list(results).flatMap((result) => {
      const { is_success: isSuccess, policy } = fieldsOf(result)
      return isSuccess === false ? [String(policy)] : []
    })
    return policies.length > 0 ? [`${String(credential)}: ${policies.join(', ')}`] : []
  })
  return failed.join('; ')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new TidegateError('BAD_ANSWER', "The policy server's answer is not JSON.")
  }
}
