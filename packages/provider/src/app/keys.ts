import { KeyAudit } from '../access/key-audit.js'
import { ProviderKeys } from '../access/provider-keys.js'
import type { Settings } from '../config/schema.js'
import type { Base } from './base.js'
import type { OpenedCatalog } from './catalog.js'

/** Opens the record of provider keys and the audit of assets. Warns of missing keys. */
export async function openKeys(
  settings: Settings,
  { store, chains, documents, log }: Base,
  { isCurrent }: Pick<OpenedCatalog, 'isCurrent'>,
): Promise<{ providerKeys: ProviderKeys; keyAudit: KeyAudit }> {
  const { index, milestones } = store
  const providerKeys = await ProviderKeys.open(milestones, chains, { publicUrl: settings.PUBLIC_URL, records: true })
  for (const chainId of chains.keys()) {
    const keys = providerKeys.missingOn(chainId)
    if (keys.length > 0) log.warn({ chainId, keys }, 'a provider key that was in use is not configured')
  }
  const keyAudit = new KeyAudit({
    ...{ index, documents, keys: providerKeys, chains, log, isCurrent },
    leads: (chainId) => index.tryLead(chainId),
  })
  return { providerKeys, keyAudit }
}
