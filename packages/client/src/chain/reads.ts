import {
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isHex,
  numberToHex,
} from 'viem'
import { NODE_CODES } from '../constants.js'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import { VIEWS } from './abi.js'
import type { Moment } from './moment.js'

type View = ContractFunctionName<typeof VIEWS, 'view'>

/** Gas limit of a call. Contracts of strangers may loop. */
const GAS = /* @__PURE__ */ numberToHex(LIMITS.call.gas)

/**
 * Calls a view of an untrusted contract. Undefined if it reverts, loops, is missing, or returns another type. Throws
 * TidegateError `CHAIN_UNREACHABLE` if the node does not respond, `CHAIN_BEHIND` if it does not know the block.
 */
export async function view<N extends View>(
  moment: Moment,
  to: Address,
  functionName: N,
  args: ContractFunctionArgs<typeof VIEWS, 'view', N>,
): Promise<ContractFunctionReturnType<typeof VIEWS, 'view', N> | undefined> {
  const data = encodeFunctionData({ abi: VIEWS, functionName, args } as never)
  const answer = await callOf(moment, { to, data })
  if (answer === undefined || answer === '0x') return undefined
  try {
    return decodeFunctionResult({ abi: VIEWS, functionName, data: answer } as never) as never
  } catch {
    return undefined
  }
}

/** Sends a raw call. viem's own would follow an off-chain look-up that a revert requests. */
export async function callOf(moment: Moment, call: { to: Address; data: Hex }): Promise<Hex | undefined> {
  let answer: unknown
  try {
    answer = await moment.read('eth_call', [{ ...call, gas: GAS }])
  } catch (error) {
    if (nodeFailed(error)) throw chainUnreachable(error)
    return undefined
  }
  return isHex(answer) && answer.length <= 2 + 2 * LIMITS.call.result ? answer : undefined
}

/** Like `view`, for a required contract. Throws TidegateError `CONTRACT_UNREADABLE` instead of returning undefined. */
export async function mustView<N extends View>(
  moment: Moment,
  to: Address,
  functionName: N,
  args: ContractFunctionArgs<typeof VIEWS, 'view', N>,
): Promise<ContractFunctionReturnType<typeof VIEWS, 'view', N>> {
  const answer = await view(moment, to, functionName, args)
  if (answer !== undefined) return answer
  throw new TidegateError('CONTRACT_UNREADABLE', `The contract ${to} does not answer ${functionName}().`)
}

/** Returns an account's balance of the chain's own coin. Throws TidegateError `CHAIN_UNREACHABLE`, `CHAIN_BEHIND`. */
export async function balanceOf(moment: Moment, account: Address): Promise<bigint> {
  return BigInt((await ask(moment.read('eth_getBalance', [account]))) as Hex)
}

/** Limits the wait for a node. Throws TidegateError `CHAIN_UNREACHABLE` after the deadline. */
export async function inTime<T>(asked: Promise<T>, milliseconds: number = LIMITS.call.time): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(chainUnreachable(undefined, 'in time')), milliseconds)
  })
  try {
    return await Promise.race([asked, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Awaits a node's response. Throws TidegateError `CHAIN_UNREACHABLE` for every failure. */
export async function ask<T>(asked: Promise<T>): Promise<T> {
  try {
    return await inTime(asked)
  } catch (error) {
    throw chainUnreachable(error)
  }
}

const NODE_ERRORS = new Set(['HttpRequestError', 'TimeoutError', 'WebSocketRequestError', 'SocketClosedError'])

/** Whether the node failed, not the contract. */
export function nodeFailed(error: unknown): boolean {
  return causes(error).some(
    ({ name, code }) => NODE_ERRORS.has(name) || NODE_CODES.has(code) || /^CHAIN_/.test(String(code)),
  )
}

/** Phrases by which nodes refuse a block, or its state, that they do not have. */
const BEHIND =
  /\b(header|block|state|trie node)\b.{0,60}\b(not|unavailable|doesn't|pruned|range|height)\b|\b(unknown|missing|find|no) (header|block|state|trie)|unfinalized data/i

/** Whether a node refused a read because it does not have the block. A revert may hold any text. */
export function isBehind(error: unknown): boolean {
  const said = causes(error)
  if (said.some(({ code, data }) => code === 3 || isHex(data) || isHex((data as { data?: unknown } | undefined)?.data)))
    return false
  return said.some(({ details, message }) => {
    const text = details ?? message
    return BEHIND.test(text) && !/revert/i.test(text)
  })
}

/** Returns an error and its causes, outermost first. */
export function causes(error: unknown): (Error & { code?: unknown; data?: unknown; details?: string })[] {
  const all: Error[] = []
  for (let cause = error; cause instanceof Error && all.length < 12; cause = cause.cause) all.push(cause)
  return all
}

/** Returns the error for an unreachable node. It names no URL, as those often hold keys. */
export function chainUnreachable(error: unknown, how = ''): TidegateError {
  const said = causes(error)
  const own = said.find((cause) => cause instanceof TidegateError)
  if (own) return own as TidegateError
  if (said.some(({ name }) => name === 'SyntaxError'))
    return new TidegateError(
      'CHAIN_UNREACHABLE',
      'The node of the chain answers no JSON, but a web page or other text.',
    )
  const status = said.find((cause) => 'status' in cause) as { status?: number } | undefined
  const why = status?.status === undefined ? ` ${how}`.trimEnd() : ` (status ${status.status})`
  return new TidegateError('CHAIN_UNREACHABLE', `The node of the chain does not answer${why}.`)
}
