import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  type Hex,
  hexToNumber,
  parseAbi,
  size,
  slice,
} from 'viem'
import type { Payment } from '../purchase.js'
import type { Call } from '../records/slot-table.js'

/** What the purchasing account calls of a token: EIP-20 and EIP-3009, of which newer tokens take signatures of any length. */
export const TOKEN_CALLS = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function transfer(address to, uint256 value)',
  'function approve(address spender, uint256 value)',
])

type UnsizedCall = Omit<Call, 'gas'>

/** Returns the call that transfers what a payment authorizes to the account. */
export function settleCall(payment: Payment, account: Address): UnsizedCall {
  const { payer, value, validAfter, validBefore, nonce, signature } = payment
  const args = [payer, account, value, BigInt(validAfter), BigInt(validBefore), nonce] as const
  const functionName = 'transferWithAuthorization'
  // one of 65 bytes in the form that older tokens know as well
  const data =
    size(signature) === 65
      ? encodeFunctionData({ abi: TOKEN_CALLS, functionName, args: [...args, ...partsOf(signature)] })
      : encodeFunctionData({ abi: TOKEN_CALLS, functionName, args: [...args, signature] })
  return { step: 'settle', to: payment.token, data }
}

/** Returns a call that transfers tokens to the payer. */
export function transferCall(step: 'refund' | 'deliver', token: Address, payer: Address, amount: bigint): UnsizedCall {
  return { step, to: token, data: encoded('transfer', payer, amount) }
}

/** Returns a call that approves exactly one amount for a contract. */
export function approveCall(token: Address, spender: Address, amount: bigint): UnsizedCall {
  return { step: 'approve', to: token, data: encoded('approve', spender, amount) }
}

/** Returns the amount of a transfer or approval. */
export function amountOf({ data }: Pick<Call, 'data'>): bigint {
  const { functionName, args } = decodeFunctionData({ abi: TOKEN_CALLS, data })
  return functionName === 'transferWithAuthorization' ? args[2] : args[1]
}

/** Returns v, r and s of a signature. Some wallets write v as 0 or 1. */
function partsOf(signature: Hex): [number, Hex, Hex] {
  const v = hexToNumber(slice(signature, 64))
  return [v < 27 ? v + 27 : v, slice(signature, 0, 32), slice(signature, 32, 64)]
}

function encoded(functionName: 'transfer' | 'approve', to: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: TOKEN_CALLS, functionName, args: [to, amount] })
}
