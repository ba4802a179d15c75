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
  type PublicClient,
} from 'viem'
import { TidegateError } from '../errors.js'
import { VIEWS } from './abi.js'

type View = ContractFunctionName<typeof VIEWS, 'view'>

/** Most bytes of an answer that are decoded: a list of a hundred exchanges, or the longest symbol that anybody shows. */
const LONGEST = 16_384
/** Gas that a call may use. Contracts of strangers may loop; the dearest honest call needs a tenth of this. */
const GAS = /* @__PURE__ */ numberToHex(5_000_000)
/** Milliseconds that a node may take for a call. */
const TIME = 30_000

/**
 * Calls a view of a contract that anybody may have deployed. Undefined if it reverts, loops, is not there, or answers
 * something else than the view's type. Throws TidegateError `CHAIN_UNREACHABLE` if the node does not answer.
 */
export async function view<N extends View>(
  client: PublicClient,
  to: Address,
  functionName: N,
  args: ContractFunctionArgs<typeof VIEWS, 'view', N>,
): Promise<ContractFunctionReturnType<typeof VIEWS, 'view', N> | undefined> {
  const data = encodeFunctionData({ abi: VIEWS, functionName, args } as never)
  const answer = await callOf(client, { to, data })
  if (answer === undefined || answer === '0x') return undefined
  try {
    return decodeFunctionResult({ abi: VIEWS, functionName, data: answer } as never) as never
  } catch {
    return undefined
  }
}

/** The raw call. The library's own would follow an off-chain look-up that a revert asks for. */
export async function callOf(client: PublicClient, call: { to: Address; data: Hex }): Promise<Hex | undefined> {
  let answer: unknown
  try {
    answer = await inTime(client.request({ method: 'eth_call', params: [{ ...call, gas: GAS }, 'latest'] }))
  } catch (error) {
    if (nodeFailed(error)) throw chainUnreachable(error)
    return undefined
  }
  return isHex(answer) && answer.length <= 2 + 2 * LONGEST ? answer : undefined
}

/** As `view`, of an indispensable contract. Throws TidegateError `CONTRACT_UNREADABLE` in place of undefined. */
export async function mustView<N extends View>(
  client: PublicClient,
  to: Address,
  functionName: N,
  args: ContractFunctionArgs<typeof VIEWS, 'view', N>,
): Promise<ContractFunctionReturnType<typeof VIEWS, 'view', N>> {
  const answer = await view(client, to, functionName, args)
  if (answer !== undefined) return answer
  throw new TidegateError('CONTRACT_UNREADABLE', `The contract ${to} does not answer ${functionName}().`)
}

/** Ends the wait for a node that never answers. Throws TidegateError `CHAIN_UNREACHABLE` then. */
export async function inTime<T>(asked: Promise<T>, milliseconds = TIME): Promise<T> {
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

/** Reads through a node; what goes wrong becomes TidegateError `CHAIN_UNREACHABLE`. */
export async function ask<T>(asked: Promise<T>): Promise<T> {
  try {
    return await inTime(asked)
  } catch (error) {
    throw chainUnreachable(error)
  }
}

const NODE_ERRORS = new Set(['HttpRequestError', 'TimeoutError', 'WebSocketRequestError', 'SocketClosedError'])
/** Codes that concern the node: unknown method, limit exceeded, disconnected, too many requests. */
const NODE_CODES = new Set([-32601, -32005, 4900, 4901, 429])

/** Whether the node failed, not the contract. */
export function nodeFailed(error: unknown): boolean {
  return causes(error).some(
    ({ name, code }) => NODE_ERRORS.has(name) || NODE_CODES.has(code as number) || code === 'CHAIN_UNREACHABLE',
  )
}

/** An error and its causes, the outermost first. */
export function causes(error: unknown): (Error & { code?: unknown; data?: unknown })[] {
  const all: Error[] = []
  for (let cause = error; cause instanceof Error && all.length < 12; cause = cause.cause) all.push(cause)
  return all
}

/** The sentence names no URL: those of nodes often hold keys. */
export function chainUnreachable(error: unknown, how = ''): TidegateError {
  if (error instanceof TidegateError) return error
  const status = causes(error).find((cause) => 'status' in cause) as { status?: number } | undefined
  const why = status?.status === undefined ? ` ${how}`.trimEnd() : ` (status ${status.status})`
  return new TidegateError('CHAIN_UNREACHABLE', `The node of the chain does not answer${why}.`)
}
