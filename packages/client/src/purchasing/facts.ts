import { addressIn } from '@tidegate/protocol/values'
import { type Address, decodeEventLog, type Hex, isAddressEqual, parseAbi } from 'viem'
import { EVENTS } from '../chain/abi.js'
import { momentOf } from '../chain/moment.js'
import { mustView } from '../chain/reads.js'
import { receiptOf } from '../chain/receipts.js'
import type { Context } from '../context.js'
import type { Authorization } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Payment, Wanted } from './types.js'

const TRANSFER = /* @__PURE__ */ parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])

/** What the chain says of a payment. */
export interface PaymentUse {
  /** Whether the token has transferred it, or the payer has cancelled it. */
  isUsed: boolean
  /** Whether no later block can accept it. */
  isOver: boolean
}

/**
 * Returns the use of a signed payment: `used` by the token, or cancelled; `open` if a block may still accept it; `void` if no block can.
 * Throws TidegateError `CHAIN_UNREACHABLE`, `NO_CHAIN`, `WRONG_NETWORK`.
 */
export async function paymentUse(context: Context, authorization: Authorization): Promise<'used' | 'open' | 'void'> {
  const { isUsed, isOver } = await useOf(context, authorization)
  if (isUsed) return 'used'
  return isOver ? 'void' : 'open'
}

/** Reads the use of a payment at one block. Throws TidegateError `CHAIN_UNREACHABLE`, … */
export async function useOf(context: Context, payment: Omit<Authorization, 'to'>): Promise<PaymentUse> {
  const { chainId, token, from, nonce, validBefore } = payment
  const moment = await momentOf(context, chainId)
  const isUsed = await mustView(moment, token, 'authorizationState', [from, nonce])
  const { timestamp } = await moment.header()
  // a reorganisation may replace the newest blocks by earlier ones
  return { isUsed, isOver: timestamp >= validBefore + LIMITS.purchasing.margin }
}

/** Whether a transaction has an order of the datatoken for the payer. False if the chain does not show it. */
export async function hasOrder(context: Context, { chainId, datatoken, payer }: Wanted, hash: Hex): Promise<boolean> {
  const logs = await logsOf(context, chainId, hash)
  return logs.some(({ address, topics, data }) => {
    if (!isAddressEqual(address, datatoken)) return false
    try {
      const { eventName, args } = decodeEventLog({ abi: EVENTS, topics, data })
      return eventName === 'OrderStarted' && isAddressEqual(args.consumer, payer)
    } catch {
      return false
    }
  })
}

/** Returns what a transaction transferred to the payer in the token of a payment. */
export async function refundIn(context: Context, payment: Payment, hash: Hex): Promise<bigint> {
  const logs = await logsOf(context, payment.chainId, hash)
  const isTo = (to: Address | undefined) => to !== undefined && isAddressEqual(to, payment.from)
  return logs.reduce((sum, { address, topics, data }) => {
    if (!isAddressEqual(address, payment.token)) return sum
    try {
      const { args } = decodeEventLog({ abi: TRANSFER, topics, data })
      return isTo(addressIn(args.to)) && !isTo(addressIn(args.from)) ? sum + args.value : sum
    } catch {
      return sum
    }
  }, 0n)
}

async function logsOf(context: Context, chainId: number, hash: Hex) {
  const moment = await momentOf(context, chainId)
  const receipt = await receiptOf(moment, hash)
  if (receipt?.status !== 'success') return []
  // later reads must see it
  moment.after(receipt)
  return receipt.logs
}
