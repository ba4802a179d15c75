import { WALLET_CODES } from '@tidegate/protocol/constants'
import { printable } from '@tidegate/protocol/values'
import { decodeErrorResult, type Hex, isHex, parseAbi } from 'viem'
import { REVERT_CODES } from '../constants.js'
import { TidegateError } from '../errors.js'
import { causes, chainUnreachable, nodeFailed } from './reads.js'

const REASONS = /* @__PURE__ */ parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
])

/** Contracts' revert reasons, each with the code and sentence of its error. */
const WORDS: readonly [RegExp, string, string][] = [
  [/too many base tokens/i, 'PRICE_CHANGED', 'the price has risen'],
  [/exceeds balance|insufficient ?balance/i, 'INSUFFICIENT_TOKENS', 'the account does not hold enough of a token'],
  [/allowance/i, 'NO_ALLOWANCE', 'the approved amount of a token is too low, or the publisher has raised the fee'],
  [/transfer amount is too low/i, 'TOKEN_REFUSED', 'the token keeps a part of each transfer'],
  [/caller balance too high/i, 'UNAVAILABLE', 'the account already holds as many datatokens as the dispenser allows'],
  [
    /dispenser not active|not enough reserves|amount too high|request DT/i,
    'UNAVAILABLE',
    'the dispenser is closed or empty',
  ],
  [/exchange.*(active|exist)|allowed to swap/i, 'UNAVAILABLE', 'the exchange is closed, or sells to others only'],
  [/cap exceeded/i, 'UNAVAILABLE', 'all datatokens are sold'],
  [/invalid provider fee/i, 'PROVIDER_FEE_REFUSED', "the provider's signature of its fee is not valid"],
  [/not enough datatokens/i, 'INSUFFICIENT_TOKENS', 'the account does not hold a datatoken'],
  [
    /METADATA_ROLE|NOT DEPLOYER|not (nft )?owner|NOT MANAGER/i,
    'NOT_PERMITTED',
    'the account may not change this asset',
  ],
]

/** The attempted action, such as "to order". */
export interface Attempt {
  what: string
  /** Transactions that were sent, or may have been. */
  transactions: readonly Hex[]
}

/** Converts any error of a node, wallet or contract to a TidegateError. */
export function failureOf(error: unknown, { what, transactions }: Attempt): TidegateError {
  if (error instanceof TidegateError) return withTransactions(error, transactions)
  const [code, sentence] = sentenceOf(error, what)
  return new TidegateError(code, sentence + sentBefore(transactions), { transactions })
}

function sentenceOf(error: unknown, what: string): [string, string] {
  const said = causes(error)
  const has = (pattern: RegExp) => said.some(({ name, message }) => pattern.test(name) || pattern.test(message))
  if (said.some(({ code }) => code === WALLET_CODES.rejected) || has(/UserRejected/))
    return ['REJECTED', `The wallet declined ${what}.`]
  const reason = reasonOf(error)
  if (reason !== undefined) {
    const known = WORDS.find(([pattern]) => pattern.test(reason))
    if (known) return [known[1], `It is not possible ${what}: ${known[2]}.`]
  }
  if (has(/InsufficientFunds|insufficient funds|exceeds the balance of the account/i))
    return ['INSUFFICIENT_GAS', `The account does not hold enough of the chain's own coin for the gas ${what}.`]
  if (has(/NonceTooLow|nonce too low/i))
    return ['NONCE_TOO_LOW', 'Another program has sent a transaction from this account in the meantime. Try again.']
  if (has(/underpriced/i))
    return ['PENDING_TRANSACTION', 'A transaction of this account is pending. Try again when it is mined.']
  if (reason !== undefined) return ['REVERTED', `A contract refused ${what}${reason && `: ${printable(reason, 200)}`}.`]
  if (nodeFailed(error)) return ['CHAIN_UNREACHABLE', chainUnreachable(error).message]
  // the node's own text may hold its URL
  return ['TRANSACTION_FAILED', `The node or the wallet refused ${what}.`]
}

/** Returns the reason of a revert: empty if the contract gives none; undefined if it did not revert. */
export function reasonOf(error: unknown): string | undefined {
  const said = causes(error)
  for (const { data } of said) {
    const bytes = isHex(data) ? data : (data as { data?: unknown } | undefined)?.data
    if (isHex(bytes) && bytes.length >= 10) return decoded(bytes)
  }
  for (const { code, name, message } of said) {
    const found = /(?:execution )?reverted(?: with(?: reason(?: string)?)?)?:? *['"]?([^'"\n]*)/i.exec(message)
    if (found && (REVERT_CODES.has(code) || /revert/i.test(name))) return found[1]?.trim() ?? ''
    if (/out of gas|gas required exceeds|invalid opcode|invalid jump/i.test(message)) return 'it uses too much gas'
  }
  return undefined
}

function decoded(data: Hex): string {
  try {
    const { errorName, args } = decodeErrorResult({ abi: REASONS, data })
    return errorName === 'Error' ? args[0] : errorName
  } catch {
    return ''
  }
}

/** Adds transactions to an error. */
export function withTransactions(error: TidegateError, transactions: readonly Hex[]): TidegateError {
  const all = [...new Set([...error.transactions, ...transactions])]
  if (all.length === error.transactions.length) return error
  const { code, message, status, cause } = error
  return new TidegateError(code, message + sentBefore(all), {
    ...(status === undefined ? {} : { status }),
    transactions: all,
    cause,
  })
}

function sentBefore(transactions: readonly Hex[]): string {
  return transactions.length === 0 ? '' : ` Sent before: ${transactions.join(', ')}.`
}

/** Returns the error for a transaction whose response is lost. */
export function mayBeSent(hash: Hex): TidegateError {
  return new TidegateError(
    'MAYBE_SENT',
    `The node stopped answering after ${hash} was sent. It may be mined: look before you pay again.`,
    { transactions: [hash] },
  )
}
