import type { Chain, Chains } from '@tidegate/chain'
import { RequestError } from '@tidegate/protocol'

/** Returns the chain that a request names. Throws RequestError if it is not served. */
export function chainOf(chainId: number, chains: Chains): Chain {
  const chain = chains.get(chainId)
  if (!chain) throw new RequestError('UNKNOWN_CHAIN', 'This provider does not serve the chain that chainId names.')
  return chain
}

/** Returns the chain on which an address may be a contract wallet: the one that is named, or the only one that is served. */
export function walletChain(chainId: number | undefined, chains: Chains): Chain | undefined {
  return chainId === undefined && chains.size === 1 ? [...chains.values()][0] : chains.get(chainId ?? -1)
}
