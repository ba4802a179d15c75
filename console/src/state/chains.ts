import { TidegateError } from '@tidegate/client'
import { createPublicClient, custom, http, type PublicClient } from 'viem'
import { walletState } from '../wallet/wallet.js'
import { chainOf, config } from './config.js'

/** Milliseconds between two questions whether a transaction is mined. */
const POLLING = { local: 250, public: 3_000 }
const clients = new Map<number, PublicClient>()

/**
 * Reads a chain: through the node that the operator names for browsers, otherwise through the wallet. Throws TidegateError
 * `NO_CHAIN`, and `WRONG_NETWORK` where the wallet is on another chain.
 */
export async function readerOf(chainId: number): Promise<PublicClient> {
  const rpcUrl = chainOf(chainId)?.rpcUrl
  if (rpcUrl !== undefined) {
    const known = clients.get(chainId)
    if (known) return known
    const pollingInterval = config().local ? POLLING.local : POLLING.public
    const made = createPublicClient({ transport: http(rpcUrl), ccipRead: false, pollingInterval })
    clients.set(chainId, made)
    return made
  }
  const wallet = walletState.get()
  if (wallet.status !== 'connected') throw new TidegateError('NO_CHAIN', 'The chain is read through a wallet.')
  if (wallet.chainId !== chainId)
    throw new TidegateError(
      'WRONG_NETWORK',
      `This is on chain ${chainId}, and the wallet is on chain ${wallet.chainId}.`,
    )
  return createPublicClient({
    transport: custom(wallet.wallet.provider),
    ccipRead: false,
    pollingInterval: POLLING.public,
  })
}

/** Whether a chain can be read now. */
export function isReadable(chainId: number): boolean {
  const wallet = walletState.get()
  return chainOf(chainId)?.rpcUrl !== undefined || (wallet.status === 'connected' && wallet.chainId === chainId)
}
