import { readFileSync } from 'node:fs'
import { type Anvil, DEV_CHAIN_ID, startAnvil } from '../../packages/dev-network/src/anvil.js'
import { type AddressEntry, DEV_NETWORK, deployContracts } from '../../packages/dev-network/src/deploy.js'
import { atEnd } from './cleanup.js'
import { prepared } from './prepared.js'

/** A local chain with the contracts of the protocol on it. */
export interface ChainWithContracts {
  anvil: Anvil
  rpcUrl: string
  addresses: AddressEntry
}

/**
 * Starts a chain with the contracts on it, as in a `World`, without a service. Restores the snapshot that the test run
 * has prepared, since a deployment takes seconds. Chains with other ids have the contracts at the same addresses.
 */
export async function chainWithContracts(chainId = DEV_CHAIN_ID): Promise<ChainWithContracts> {
  const [loadFile, addressFile] = [prepared('chain', 'chain.json'), prepared('chain', 'address.json')]
  const anvil = await startAnvil({ port: 0, chainId, loadFile })
  atEnd(() => anvil.stop())
  const entry =
    loadFile !== undefined && addressFile !== undefined
      ? ((JSON.parse(readFileSync(addressFile, 'utf8')) as Record<string, AddressEntry>)[DEV_NETWORK] as AddressEntry)
      : await deployContracts(anvil.rpcUrl)
  return { anvil, rpcUrl: anvil.rpcUrl, addresses: { ...entry, chainId } }
}
