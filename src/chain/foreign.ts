import {
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
} from 'viem'
import { BOUNDS } from '../bounds.js'
import { VIEWS } from './abi.js'
import { rpcClient } from './clients.js'
import { nodeFailed } from './failures.js'

/** A call to a contract that anybody may have deployed. */
export interface ForeignCall {
  to: Address
  data: Hex
  /** Bytes that the answer may have. */
  limit: number
  /** Ends the request to the node, in any state: nobody waits for the answer any more. */
  signal?: AbortSignal
}

/**
 * Asks one node what somebody else's contract answers. Undefined where the contract has no answer: it is not there,
 * reverts, uses its gas up, or answers more than the limit. Rejects where it is the node that fails.
 */
export type CallForeign = (call: ForeignCall) => Promise<Hex | undefined>

/** What JSON-RPC adds to an answer, in bytes, generously. */
const ENVELOPE = 4096

/**
 * Calls of one node to somebody else's contracts. Each travels alone: in one HTTP request with others, an answer
 * that is too long would take theirs with it. The answer is dropped while it arrives where it exceeds every limit,
 * and is decoded by nobody before its length was checked. Gas is limited.
 */
export function foreignCalls(url: URL, timeout: number): CallForeign {
  const maxAnswer = 2 * BOUNDS.contract.answer + ENVELOPE
  const client = rpcClient(url, { timeout, batch: false, maxAnswer })
  return async ({ to, data, limit, signal }) => {
    if (signal?.aborted) throw unwanted()
    const call = { to, data, gas: numberToHex(BOUNDS.contract.gas) }
    let answer: Hex
    try {
      // the bare request: the library's own call would look at what a revert asks for
      const options = signal && { signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]) }
      answer = await client.request({ method: 'eth_call', params: [call, 'latest'] }, options)
    } catch (error) {
      if (signal?.aborted) throw unwanted()
      if (nodeFailed(error)) throw error
      return undefined
    }
    return answer.length - 2 > 2 * limit ? undefined : answer
  }
}

/** The node did not fail: whoever asked has gone. */
function unwanted(): DOMException {
  return new DOMException('The answer is no longer wanted.', 'AbortError')
}

type View = ContractFunctionName<typeof VIEWS, 'view'>

/**
 * What one of the views of a contract answers, within `limit` bytes; undefined where it has no answer, or one that
 * is not of the view's type. Rejects where the node fails.
 */
export async function foreignView<N extends View>(
  call: CallForeign,
  to: Address,
  functionName: N,
  args: ContractFunctionArgs<typeof VIEWS, 'view', N>,
  limit: number = BOUNDS.contract.view,
): Promise<ContractFunctionReturnType<typeof VIEWS, 'view', N> | undefined> {
  const data = encodeFunctionData({ abi: VIEWS, functionName, args } as never)
  const answer = await call({ to, data, limit })
  if (answer === undefined) return undefined
  try {
    return decodeFunctionResult({ abi: VIEWS, functionName, data: answer } as never) as never
  } catch {
    return undefined
  }
}
