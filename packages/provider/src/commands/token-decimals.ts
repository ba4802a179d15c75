import { rpcClient } from '@tidegate/chain'
import { COMMON_LIMITS } from '@tidegate/common'
import { type Address, type Hex, parseAbi } from 'viem'
import type { Settings } from '../config/schema.js'
import { PROVIDER_LIMITS } from '../limits.js'

const ABI = parseAbi(['function decimals() view returns (uint256)'])

/** Maximum decimals of a token: no amount has more digits. */
const MAX_DECIMALS = 77

/**
 * Returns a function that requests the decimals of a token, once for each token. It returns undefined if no node
 * answers, if the chain is not served, or if the contract has no decimals.
 */
export function tokenDecimals(settings: Pick<Settings, 'NETWORK_URL' | 'RPC_TIMEOUT'>) {
  const known = new Map<string, Promise<number | undefined>>()
  return (chainId: number, token: Address): Promise<number | undefined> => {
    const key = `${chainId} ${token}`
    const asked = known.get(key)
    if (asked) return asked
    if (known.size >= PROVIDER_LIMITS.ledger.reportTokens) return Promise.resolve(undefined)
    const pending = ask(settings, chainId, token)
    known.set(key, pending)
    return pending
  }
}

async function ask(
  { NETWORK_URL: urls, RPC_TIMEOUT: timeout }: Pick<Settings, 'NETWORK_URL' | 'RPC_TIMEOUT'>,
  chainId: number,
  token: Address,
): Promise<number | undefined> {
  for (const url of urls.byChain.get(chainId) ?? urls.all ?? []) {
    const client = rpcClient(url, { timeout, maxResponse: COMMON_LIMITS.contract.view })
    try {
      // without a configured id, the node names its chain
      if (!urls.byChain.has(chainId) && (await client.getChainId()) !== chainId) continue
      const decimals = await client.readContract({ abi: ABI, address: token as Hex, functionName: 'decimals' })
      return decimals <= BigInt(MAX_DECIMALS) ? Number(decimals) : undefined
    } catch {
      // try the next node
    }
  }
  return undefined
}
