import type { Chains } from '@tidegate/chain'
import { describeAnswer, describeFailedExchange, Outbound, type OutboundJson } from '@tidegate/common'
import type { Settings } from '../../config/schema.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { Finding } from './files.js'

/**
 * Asks the policy server, by each account of this provider, about a session that nobody has. It says so, unless it knows the key
 * or the account not.
 */
export async function* policyFindings(settings: Settings, chains: Chains): AsyncGenerator<Finding> {
  const { POLICY_SERVER_URL: url, POLICY_SERVER_API_KEY: apiKey } = settings
  if (url === undefined) return
  const outbound = new Outbound({ timeout: settings.OUTBOUND_TIMEOUT, maxSize: PROVIDER_LIMITS.policies.answer })
  const headers = apiKey === undefined ? undefined : { 'x-api-key': apiKey }
  for (const nodeAddress of new Set([...chains.values()].map(({ key }) => key.address))) {
    const asked = outbound.post(url, { action: 'checkSessionId', sessionId: '', nodeAddress }, headers)
    const failure = await asked.then(problemOf, (error: unknown) => describeFailedExchange(error))
    const text = `policy server ${new URL(url).host}, asked by ${nodeAddress}: ${failure ?? 'answers'}`
    yield { ok: failure === undefined, text }
  }
  await outbound.close()
}

function problemOf(answer: OutboundJson): string | undefined {
  const isRefused = answer.status === 401 || answer.status === 403
  return isRefused || answer.json === undefined ? describeAnswer(answer, 'JSON') : undefined
}
