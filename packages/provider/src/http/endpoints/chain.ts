import type { Chain, Chains } from '@tidegate/chain'
import { RequestError } from '@tidegate/protocol'

/** Returns the chain of a request. Throws RequestError if it is not served. */
export function chainOf(chainId: number, chains: Chains): Chain {
  const chain = chains.get(chainId)
  if (!chain) throw new RequestError('UNKNOWN_CHAIN', 'This provider does not serve the chain that chainId names.')
  return chain
}

/** Returns the chain of a possible contract wallet: the named chain, or the only served one. */
export function walletChain(chainId: number | undefined, chains: Chains): Chain | undefined {
  return chainId === undefined && chains.size === 1 ? [...chains.values()][0] : chains.get(chainId ?? -1)
}
