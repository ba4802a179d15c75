import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from '@commander-js/extra-typings'
import { print } from '@tidegate/common/terminal'
import { DATABASE_FILE } from '@tidegate/database/sqlite'
import { StartError } from '@tidegate/protocol'
import { loadSettings } from '../config/load.js'
import { openStore } from '../state/open.js'
import { CONFIG, chainId } from './options.js'

export const command = (finish: (code: number) => void) =>
  new Command('reindex')
    .description('Rebuilds the index from the chain. The current one stays in use until the new one is complete.')
    .option(...CONFIG)
    .option('--chain <id>', 'only this chain', chainId)
    .action(async (options) => finish(await reindex(options)))

/**
 * `tidegate reindex`: requests a rebuild of one index or of all. The service runs it, now or after its next start. The
 * current index stays in use meanwhile; nonces and revoked tokens do not change. Returns the exit code.
 */
export async function reindex(options: { config?: string | undefined; chain?: number | undefined }): Promise<number> {
  const settings = loadSettings(process.env, options.config, 'database')
  if (settings.DATABASE_URL === undefined && !existsSync(join(settings.STATE_DIR, DATABASE_FILE)))
    throw new StartError([`STATE_DIR: there is no database in ${settings.STATE_DIR}, so there is no index to rebuild.`])
  const store = await openStore(settings)
  const known = await store.index.chains()
  if (options.chain !== undefined && !known.includes(options.chain)) {
    await store.close()
    const there = known.length > 0 ? `it has chain ${known.join(', ')}` : 'it is empty'
    throw new StartError([`--chain: chain ${options.chain} is not in the index: ${there}.`])
  }
  const chains = options.chain === undefined ? known : [options.chain]
  for (const chainId of chains) {
    const cursor = await store.index.cursor(chainId)
    if (cursor) await store.index.begin(chainId, true)
    const current = cursor ? `the current index (to block ${cursor.block}) stays in use` : 'there is no index yet'
    print(`chain ${chainId}: rebuilding from the first block; ${current}`)
  }
  if (chains.length === 0) print('the index is empty')
  await store.close()
  return 0
}
