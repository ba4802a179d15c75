import { createPublicClient, custom, http, type PublicClient, type WalletClient } from 'viem'
import { TidegateError } from '../errors.js'
import { chainUnreachable } from './reads.js'

/** The ways to read a chain. */
export interface ChainAccess {
  publicClient?: PublicClient | undefined
  rpcUrl?: string | undefined
  wallet?: WalletClient | undefined
}

/**
 * Returns a look-up of reading clients by chain: `publicClient`, then `rpcUrl`, then the wallet's node. The chain id of a
 * node is read once, that of a wallet each time, as its user can switch networks.
 */
export function chainReader({ publicClient, rpcUrl, wallet }: ChainAccess): (chainId: number) => Promise<PublicClient> {
  let own = publicClient
  let known: number | undefined
  const clientOf = (): PublicClient => {
    // an off-chain look-up would fetch a URL that a hostile contract names
    if (rpcUrl !== undefined) own ??= createPublicClient({ transport: http(rpcUrl), ccipRead: false })
    if (wallet) own ??= createPublicClient({ transport: custom(wallet), ccipRead: false })
    if (own) return own
    throw new TidegateError('NO_CHAIN', 'This call reads the chain: pass rpcUrl, publicClient or a wallet.')
  }
  const switches = publicClient === undefined && rpcUrl === undefined
  return async (chainId) => {
    const client = clientOf()
    if (known === undefined || switches) known = await idOf(client)
    if (known === chainId) return client
    const message = `This is on chain ${chainId}, but the ${switches ? 'wallet' : 'node'} is on chain ${known}.`
    throw new TidegateError('WRONG_NETWORK', message)
  }
}

/** Returns the chain id. Hides viem's own errors: they name the node's URL, which may hold a key. */
async function idOf(client: PublicClient): Promise<number> {
  try {
    return await client.getChainId()
  } catch (error) {
    throw chainUnreachable(error)
  }
}
