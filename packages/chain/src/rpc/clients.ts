import { type Account, createPublicClient, createWalletClient, custom, type PublicClient } from 'viem'
import { CHAIN_LIMITS } from '../limits.js'
import type { NodeAbilities } from './abilities.js'
import { jsonRpc } from './json-rpc.js'
import { momentTransport } from './moment-transport.js'
import { validatedTransport } from './validated-transport.js'

/**
 * By default viem fetches any URL that a contract returns in an OffchainLookup revert (EIP-3668), past the egress guard.
 * So look-ups are off on every client; a lint rule allows clients in this file only.
 */
const NO_LOOKUPS = { ccipRead: false } as const

interface ClientOptions {
  /** Milliseconds that the node may take for one response. */
  timeout?: number
  /** Whether calls made in one turn of the event loop are batched into one HTTP request. */
  batch?: boolean
  /** Largest response body, in bytes. */
  maxResponse?: number
  /** The abilities of the node, if several clients share them. */
  abilities?: NodeAbilities
}

/**
 * Creates a JSON-RPC client of one node. It validates every response and does not retry. With `abilities`, requests for
 * an older head than a former one reject with BehindError.
 */
export function rpcClient(
  url: URL,
  {
    timeout = CHAIN_LIMITS.nodes.timeout,
    batch = true,
    maxResponse = CHAIN_LIMITS.chain.response,
    abilities,
  }: ClientOptions = {},
): PublicClient {
  const transport = validatedTransport(jsonRpc(url, { timeout, batch, maxResponse, abilities }), abilities?.onRepeated)
  return createPublicClient({
    ...NO_LOOKUPS,
    transport: abilities ? momentTransport(transport, abilities.moments) : transport,
    cacheTime: 0,
  })
}

/** Creates a client that prepares and signs transactions of an account. `request` sends calls to a node, with retries. */
export function walletClient<A extends Account>(account: A, request: Parameters<typeof custom>[0]['request']) {
  return createWalletClient({ ...NO_LOOKUPS, account, transport: custom({ request }, { retryCount: 0 }) })
}
