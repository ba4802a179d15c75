import type { Chain, Chains } from '../chain/chains.js'
import { RequestError } from '../errors.js'

/** The chain that a request names. Throws RequestError for one that is not served. */
export function chainOf(chainId: number, chains: Chains): Chain {
  const chain = chains.get(chainId)
  if (!chain) throw new RequestError('UNKNOWN_CHAIN', 'This provider does not serve the chain that chainId names.')
  return chain
}
