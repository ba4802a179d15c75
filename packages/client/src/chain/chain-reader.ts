import { createPublicClient, custom, http, type PublicClient, type WalletClient } from 'viem'
import { TidegateError } from '../errors.js'

/** How the chain is read. */
export interface ChainAccess {
  publicClient?: PublicClient | undefined
  rpcUrl?: string | undefined
  wallet?: WalletClient | undefined
}

/**
 * Makes the look-up of clients for reading. The client given wins, then the node's URL, then the wallet's own node.
 * The chain of a node is read once; that of a wallet each time, as people switch networks.
 */
export function chainReader({ publicClient, rpcUrl, wallet }: ChainAccess): (chainId: number) => Promise<PublicClient> {
  let own = publicClient
  let known: number | undefined
  const clientOf = (): PublicClient => {
    // off-chain look-ups would fetch from URLs that contracts of strangers name
    if (rpcUrl !== undefined) own ??= createPublicClient({ transport: http(rpcUrl), ccipRead: false })
    if (wallet) own ??= createPublicClient({ transport: custom(wallet), ccipRead: false })
    if (own) return own
    throw new TidegateError('NO_CHAIN', 'This reads the chain: pass rpcUrl, publicClient or a wallet.')
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

/** The library's errors name the URL of the node, which may hold a key: they are not passed on. */
async function idOf(client: PublicClient): Promise<number> {
  try {
    return await client.getChainId()
  } catch {
    throw new TidegateError('CHAIN_UNREACHABLE', 'The node of the chain does not answer.')
  }
}
