import { Outbound } from '@tidegate/common'
import { assetDocument, opened } from '@tidegate/protocol'
import { Policies } from '../access/policies/policies.js'
import { PolicyServer } from '../access/policies/policy-server.js'
import type { Settings } from '../config/schema.js'
import type { Catalog } from '../http/services.js'
import { PROVIDER_LIMITS } from '../limits.js'
import type { Base } from './base.js'

/** Builds the decisions of the policy server, and the end of its connections. */
export function openPolicies(
  settings: Settings,
  { log, metrics }: Base,
  { indexed, onChain }: Pick<Catalog, 'indexed' | 'onChain'>,
): { policies: Policies; close(): Promise<void> } {
  const { POLICY_SERVER_URL: url, POLICY_SERVER_API_KEY: apiKey, POLICY_CACHE: keep } = settings
  const { OUTBOUND_TIMEOUT: patience } = settings
  const outbound = new Outbound({ timeout: patience, maxSize: PROVIDER_LIMITS.policies.answer })
  const onAsked = (action: string, outcome: string) => metrics.policyQuestions.inc({ action, outcome })
  const policies = new Policies({
    server: url === undefined ? undefined : new PolicyServer({ url, apiKey, outbound, patience, log, onAsked }),
    keep,
    documentOf: async (did) => {
      const found = await indexed.asset(did)
      const asset = found && opened(found)
      return asset && assetDocument(asset, await onChain.of(asset))
    },
    log,
  })
  return { policies, close: () => outbound.close() }
}
