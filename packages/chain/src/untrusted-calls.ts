import { COMMON_LIMITS } from '@tidegate/common'
import {
  type Abi,
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
import { isTooLong, nodeFailed, transportFailure } from './failures.js'
import { CHAIN_LIMITS } from './limits.js'
import { NodeAbilities } from './rpc/abilities.js'
import { rpcClient } from './rpc/clients.js'
import { callFault, isBehind, isReverted } from './time/behind.js'
import { BehindError } from './time/behind-error.js'
import type { Moment } from './time/moment.js'

export interface UntrustedCall {
  /** The sender. Default: that of the node, usually the zero address. */
  from?: Address
  /** The contract. Without it the data are init code, which the node runs and forgets. */
  to?: Address
  data: Hex
  /** Largest return data, in bytes. */
  limit: number
  /** Whether only a revert counts as one: a node that refuses the call with unknown words is then a node that fails. Default: no. */
  strict?: boolean
  /** Aborts the request to the node, in any state. */
  signal?: AbortSignal
}

/**
 * Calls an untrusted contract through one node, in the state of the block of a decision. Returns its data; undefined if
 * the contract reverts, runs out of gas, or returns more than the limit. Rejects if the node fails or lacks the block.
 */
export type CallUntrusted = (call: UntrustedCall) => Promise<Hex | undefined>

/** Blocks below that of a decision at which a node that takes block numbers answers, even if it is behind. */
const BACK = 16

/** Sends a call at a block, or at the newest one. */
type CallAt = (block: number | 'latest') => Promise<Hex>

/**
 * Returns the calls to untrusted contracts of a decision at one node, with limited gas. Calls are not batched, since an
 * oversized response would fail the whole batch. The response size is limited while it arrives, and again before decoding.
 */
export function untrustedCalls(
  url: URL,
  timeout: number,
  abilities = new NodeAbilities(),
): (moment: Pick<Moment, 'block'>) => CallUntrusted {
  const maxResponse = 2 * COMMON_LIMITS.contract.result + CHAIN_LIMITS.nodes.envelope
  const client = rpcClient(url, { timeout, batch: false, maxResponse, abilities })
  return (moment) =>
    async ({ from, to, data, limit, strict = false, signal }) => {
      if (signal?.aborted) throw aborted()
      const call = { from, to, data, gas: numberToHex(COMMON_LIMITS.contract.gas) }
      const callAt: CallAt = (block) => {
        const tag = block === 'latest' ? block : numberToHex(block)
        // a raw request, since viem's `call` acts on the data of a revert
        return client.request({ method: 'eth_call', params: [call, tag] }, signal && { signal })
      }
      const block = await moment.block()
      let answer: Hex
      try {
        answer = await callOf(callAt, block, abilities)
      } catch (error) {
        if (signal?.aborted) throw aborted()
        if (isBehind(error) || nodeFailed(error)) throw error
        if (strict && !isReverted(error) && !isTooLong(error)) throw error
        return undefined
      }
      return answer.length - 2 > 2 * limit ? undefined : answer
    }
}

/**
 * Calls a contract in the state of a block.
 * @throws BehindError if the node lacks the block or its state
 */
async function callOf(callAt: CallAt, block: number, { past, moments }: NodeAbilities): Promise<Hex> {
  if (!past.canCall) return callAt('latest')
  try {
    const answer = await callAt(block)
    past.answered()
    return answer
  } catch (error) {
    const fault = callFault(error)
    if (fault === 'reverted' || transportFailure(error)) throw error
    if (fault === 'unclear') {
      // the call itself fails if this one rejects as well
      const newest = await callAt('latest')
      if (!(await isAnswered(callAt(Math.max(0, block - BACK))))) {
        past.refused()
        return newest
      }
    }
    moments.lacked(block)
    throw new BehindError()
  }
}

/** Returns whether the node executed a call. */
async function isAnswered(answer: Promise<Hex>): Promise<boolean> {
  return answer.then(
    () => true,
    (error) => callFault(error) === 'reverted',
  )
}

/** An error that does not count as a failure of the node. */
function aborted(): DOMException {
  return new DOMException('The call was aborted.', 'AbortError')
}

/**
 * Returns a function that calls the views of an ABI on untrusted contracts, and decodes at most `limit` bytes. Undefined if the call fails
 * or the data do not fit the view. Rejects if the node fails.
 */
export function untrustedViews<const A extends Abi>(abi: A) {
  return async <N extends ContractFunctionName<A, 'view'>>(
    call: CallUntrusted,
    to: Address,
    functionName: N,
    args: ContractFunctionArgs<A, 'view', N>,
    limit: number = COMMON_LIMITS.contract.view,
  ): Promise<ContractFunctionReturnType<A, 'view', N> | undefined> => {
    const data = encodeFunctionData({ abi, functionName, args } as never)
    const answer = await call({ to, data, limit })
    if (answer === undefined) return undefined
    try {
      return decodeFunctionResult({ abi, functionName, data: answer } as never) as never
    } catch {
      return undefined
    }
  }
}

/** Calls a view of the contracts. */
export const untrustedView = untrustedViews(VIEWS)
