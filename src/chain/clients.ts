import { type Account, createPublicClient, createWalletClient, custom, http, type PublicClient } from 'viem'
import { BOUNDS } from '../bounds.js'
import { checked } from './answers.js'
import { wholeAnswer } from './whole-answer.js'

/**
 * The only place that makes clients of the chain library (a lint rule keeps it so). By default the library fetches
 * whatever URL a contract names when it answers a call with an OffchainLookup (EIP-3668): past the guarded way out,
 * from inside the operator's network. So these look-ups are off on every client.
 */
const NO_LOOKUPS = { ccipRead: false } as const

interface ClientOptions {
  /** Milliseconds that the node may take for one answer. */
  timeout?: number
  /** Whether calls of one tick travel in one HTTP request. */
  batch?: boolean
  /** Largest answer, in bytes of JSON. */
  maxAnswer?: number
}

/** A JSON-RPC client of one node, whose answers have the form that was asked for. */
export function rpcClient(
  url: URL,
  { timeout = 10_000, batch = true, maxAnswer = BOUNDS.chain.answer }: ClientOptions = {},
): PublicClient {
  return createPublicClient({
    ...NO_LOOKUPS,
    transport: checked(
      http(url.href, {
        ...(batch ? { batch: { batchSize: 100 } } : {}),
        maxResponseBodySize: maxAnswer,
        fetchFn: wholeAnswer(maxAnswer),
        timeout,
        retryCount: 0,
      }),
    ),
    cacheTime: 0,
  })
}

/** A client that prepares and signs transactions of an account; `request` takes them to a node, and does its own retries. */
export function walletClient<A extends Account>(account: A, request: Parameters<typeof custom>[0]['request']) {
  return createWalletClient({ ...NO_LOOKUPS, account, transport: custom({ request }, { retryCount: 0 }) })
}
