import { visible } from '@tidegate/common/visible-text'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { PolicyAnswer } from './policy-server.js'

/** Shortest text of a question that is taken out of an answer: an id of a session is longer. */
const SHORTEST_SECRET = 8

/**
 * Returns the words of a refusal for a person, as plain text; undefined if it has none. `asked`: what was sent, whose texts the
 * words must not repeat, since an error is shown and logged, and the id of a session opens what was presented in it.
 */
export function refusalWords({ body }: PolicyAnswer, asked: unknown): string | undefined {
  const words = textIn(body?.message) ?? textIn(body?.error)
  if (words === undefined) return undefined
  const secrets = typeof asked === 'object' && asked !== null ? Object.values(asked) : []
  const cleared = secrets
    .filter((one): one is string => typeof one === 'string' && one.length >= SHORTEST_SECRET)
    .reduce((text, secret) => text.replaceAll(secret, '…'), words.slice(0, PROVIDER_LIMITS.policies.answer))
  // URLs name the session as well, in their own spelling
  const line = visible(cleared.replaceAll(/\S+:\/\/\S*/g, '…').replaceAll(/\s+/g, ' ')).trim()
  const { words: most } = PROVIDER_LIMITS.policies
  return line.length > most ? `${line.slice(0, most)}…` : line || undefined
}

/** The text of a message: itself, or what its field says that the published policy server uses. */
function textIn(message: unknown): string | undefined {
  if (typeof message === 'string') return message
  if (typeof message !== 'object' || message === null) return undefined
  const { error, errorMessage } = message as Record<string, unknown>
  return [error, errorMessage].find((one): one is string => typeof one === 'string')
}
