import { COMMON_LIMITS } from '@tidegate/common'
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
import { VIEWS } from './abi.js'
import { nodeFailed } from './failures.js'
import { NodeAbilities } from './rpc/abilities.js'
import { rpcClient } from './rpc/clients.js'

export interface UntrustedCall {
  to: Address
  data: Hex
  /** Largest return data, in bytes. */
  limit: number
  /** Aborts the request to the node, in any state. */
  signal?: AbortSignal
}

/**
 * Calls an untrusted contract through one node. Returns its data; undefined if the contract does not exist, reverts, runs
 * out of gas, or returns more than the limit. Rejects if the node fails.
 */
export type CallUntrusted = (call: UntrustedCall) => Promise<Hex | undefined>

/** Upper bound of the bytes that JSON-RPC adds to the return data. */
const ENVELOPE = 4096

/**
 * Returns a function that calls untrusted contracts through one node, with limited gas. Calls are not batched, since an
 * oversized response would fail the whole batch. The response size is limited while it arrives, and again before decoding.
 */
export function untrustedCalls(url: URL, timeout: number, abilities = new NodeAbilities()): CallUntrusted {
  const maxResponse = 2 * COMMON_LIMITS.contract.result + ENVELOPE
  const client = rpcClient(url, { timeout, batch: false, maxResponse, abilities })
  return async ({ to, data, limit, signal }) => {
    if (signal?.aborted) throw aborted()
    const call = { to, data, gas: numberToHex(COMMON_LIMITS.contract.gas) }
    let answer: Hex
    try {
      // a raw request, since viem's `call` acts on the data of a revert
      answer = await client.request({ method: 'eth_call', params: [call, 'latest'] }, signal && { signal })
    } catch (error) {
      if (signal?.aborted) throw aborted()
      if (nodeFailed(error)) throw error
      return undefined
    }
    return answer.length - 2 > 2 * limit ? undefined : answer
  }
}

/** An error that does not count as a failure of the node. */
function aborted(): DOMException {
  return new DOMException('The call was aborted.', 'AbortError')
}

type View = ContractFunctionName<typeof VIEWS, 'view'>

/**
 * Calls a view function of an untrusted contract and decodes at most `limit` bytes. Undefined if the call fails or the
 * data do not fit the view. Rejects if the node fails.
 */
export async function untrustedView<N extends View>(
  call: CallUntrusted,
  to: Address,
  functionName: N,
  args: ContractFunctionArgs<typeof VIEWS, 'view', N>,
  limit: number = COMMON_LIMITS.contract.view,
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
