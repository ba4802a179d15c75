import { zeroAddress } from 'viem'
import type { Chain } from '../../packages/chain/src/chains.js'
import type { Deployment } from '../../packages/chain/src/deployments.js'
import { ChainNodes, type NodesOptions } from '../../packages/chain/src/nodes/nodes.js'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'

/** A chain with its contracts, reached through nodes, as a service without further settings has it. */
export function chainAt(
  deployment: Deployment,
  urls: string[],
  { timeout = 10_000, agreement = 1 }: Partial<NodesOptions> = {},
): Chain {
  const { chainId } = deployment
  const key = providerKey(`0x${'11'.repeat(32)}`)
  const nodes = new ChainNodes(
    chainId,
    urls.map((url) => new URL(url)),
    { timeout, agreement },
  )
  const fee = { token: zeroAddress, amount: 0n }
  return { chainId, deployment, factoryFound: true, key, keys: [key], fee, confirmations: 1, nodes }
}
