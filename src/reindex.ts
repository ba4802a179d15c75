import { loadSettings } from './config/load.js'
import { openStore } from './state/open.js'

/**
 * `tidegate reindex`: has one chain or all read again from their start, beside what the index knows of them, which
 * the new reading replaces when it is complete. A service that is running does so by itself, one that is not when it is
 * started; nonces and revoked tokens stay. Answers the exit code.
 */
export async function reindex(options: { config?: string; chain?: string }): Promise<number> {
  const settings = loadSettings(process.env, options.config)
  const store = await openStore(settings)
  const chains = options.chain === undefined ? await store.index.chains() : [Number(options.chain)]
  for (const chainId of chains) {
    const cursor = await store.index.cursor(chainId)
    if (cursor) await store.index.begin(chainId, true)
    const had = cursor ? `what there is up to block ${cursor.block} stays in use meanwhile` : 'there is nothing yet'
    process.stdout.write(`chain ${chainId}: is read again from its start; ${had}\n`)
  }
  if (chains.length === 0) process.stdout.write('the index is empty\n')
  await store.close()
  return 0
}
