import { DocumentReader, type IndexStore } from '@tidegate/catalog'
import type { Chains } from '@tidegate/chain'
import { countUnknown } from '../../access/key-audit.js'
import { ProviderKeys } from '../../access/provider-keys.js'
import type { Settings } from '../../config/schema.js'
import type { MilestoneStore } from '../../state/milestones.js'
import { TaskSandbox } from '../../tasks/task-sandbox.js'
import type { Finding } from './files.js'

/** Names the assets of this provider that need a provider key which is not configured. */
export async function* keyFindings(
  { PUBLIC_URL: publicUrl, MAX_DDO_SIZE }: Settings,
  { index, milestones }: { index: IndexStore; milestones: MilestoneStore },
  chains: Chains,
): AsyncGenerator<Finding> {
  const keys = await ProviderKeys.open(milestones, chains, { publicUrl, records: false })
  const sandbox = new TaskSandbox()
  try {
    const documents = new DocumentReader(sandbox, MAX_DDO_SIZE)
    for (const chain of chains.values()) {
      const { chainId } = chain
      const { count, dids } = await countUnknown(chain, { index, documents, keys })
      const missing = keys.missingOn(chainId)
      const known =
        missing.length > 0 ? ` (in use before, and not in PREVIOUS_PRIVATE_KEYS: ${missing.join(', ')})` : ''
      if (count === 0) yield { ok: true, text: `chain ${chainId}: no asset needs a key that is missing${known}` }
      else {
        const more = count > dids.length ? ` and ${count - dids.length} more` : ''
        const text = `chain ${chainId}: ${count} asset(s) need a key that is missing${known}: ${dids.join(', ')}${more}`
        yield { ok: false, text }
      }
    }
  } finally {
    await sandbox.close()
  }
}
