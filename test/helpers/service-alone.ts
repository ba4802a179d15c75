import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEV_CHAIN_ID, devAccounts } from '../../packages/dev-network/src/anvil.js'
import { DEV_NETWORK } from '../../packages/dev-network/src/deploy.js'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { chainWithContracts } from './chain.js'
import { newFolder } from './cleanup.js'
import { type DevProcess, INDEX_POLL_INTERVAL } from './dev.js'
import { startInstance } from './instance.js'

/**
 * Starts a chain, and the service on it in a process of its own, for half of the processor time of `tidegate dev`: for tests
 * of the memory, the log or the end of that process. `onLine` is called with every line of its log.
 */
export async function startAlone(
  environment: NodeJS.ProcessEnv = {},
  level = 'info',
  onLine: (line: string) => void = () => undefined,
): Promise<DevProcess> {
  const { rpcUrl, addresses } = await chainWithContracts()
  const accounts = devAccounts()
  const { privateKey } = accounts[8] as (typeof accounts)[number]
  const folder = newFolder()
  const addressFile = join(folder, 'address.json')
  writeFileSync(addressFile, JSON.stringify({ [DEV_NETWORK]: addresses }))
  const settings = {
    NETWORK_URL: JSON.stringify({ [DEV_CHAIN_ID]: rpcUrl }),
    ADDRESS_FILE: addressFile,
    PROVIDER_PRIVATE_KEY: privateKey,
    ALLOW_NON_PUBLIC_IP: 'true',
    INDEX_POLL_INTERVAL,
    STATE_DIR: folder,
    HOSTING: 'local',
    HOSTING_DIR: join(folder, 'files'),
    HOSTING_PUBLISHERS: '*',
  }
  const { url, process, end } = await startInstance({ ...settings, ...environment }, undefined, { level, onLine })
  const providerAddress = providerKey(privateKey).address
  return {
    facts: { providerUrl: url, rpcUrl, chainId: DEV_CHAIN_ID, addresses, accounts, providerAddress },
    process,
    async stop() {
      await end()
      return process.exitCode
    },
  }
}
