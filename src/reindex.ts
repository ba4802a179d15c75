import { loadSettings } from './config/load.js'
import { openStore } from './state/open.js'

/**
 * `tidegate reindex`: forgets what the index knows of one chain or of all, so that it is read from the chain again. A
 * service that is running begins anew by itself; nonces and revoked tokens stay. Answers the exit code.
 */
export async function reindex(options: { config?: string; chain?: string }): Promise<number> {
  const settings = loadSettings(process.env, options.config)
  const store = await openStore(settings)
  const chains = options.chain === undefined ? await store.index.chains() : [Number(options.chain)]
  for (const chainId of chains) {
    const cursor = await store.index.cursor(chainId)
    await store.index.reset(chainId)
    const had = cursor ? `was at block ${cursor.block}` : 'had nothing'
    process.stdout.write(`chain ${chainId}: ${had}, is read again from its start\n`)
  }
  if (chains.length === 0) process.stdout.write('the index is empty\n')
  await store.close()
  return 0
}
