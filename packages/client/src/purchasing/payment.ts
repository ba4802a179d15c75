import { addressIn, fieldsOf } from '@tidegate/protocol/values'
import { bytesToHex, type Hex, isHex, size, type WalletClient } from 'viem'
import { accountOf } from '../auth/signing.js'
import type { Moment } from '../chain/moment.js'
import { ask } from '../chain/reads.js'
import type { Context } from '../context.js'
import { type Authorization, TidegateError } from '../errors.js'
import { encoded } from './required.js'
import type { Payment, Required } from './types.js'

const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

/**
 * Signs a payment. Throws TidegateError `SIGNATURE_REFUSED`, and `WRONG_NETWORK` if the wallet is on another chain.
 */
export async function signPayment(context: Context, required: Required, moment: Moment): Promise<Payment> {
  const account = await accountOf(context)
  const wallet = context.wallet as WalletClient
  const from = typeof account === 'string' ? account : account.address
  const { chainId, token, name, version, payTo, units, valid } = required
  const own = await ask(wallet.getChainId())
  if (own !== chainId)
    throw new TidegateError('WRONG_NETWORK', `This is on chain ${chainId}, but the wallet is on chain ${own}.`)
  const { timestamp } = await moment.header()
  // the newest block of a quiet chain may be old
  const validBefore = Math.max(timestamp, Math.floor(Date.now() / 1000)) + valid
  const nonce = random(32)
  const message = { from, to: payTo, value: units, validAfter: 0n, validBefore: BigInt(validBefore), nonce }
  const domain = { name, version, chainId, verifyingContract: token }
  const typed = { domain, types: TYPES, primaryType: 'TransferWithAuthorization', message } as const
  let signature: Hex
  try {
    signature = await wallet.signTypedData({ account, ...typed })
  } catch (cause) {
    throw new TidegateError('SIGNATURE_REFUSED', 'The wallet did not sign the payment. Nothing was paid.', { cause })
  }
  return { ...required, from, nonce, validBefore, signature, identifier: random(16).slice(2) }
}

const random = (bytes: number) => bytesToHex(crypto.getRandomValues(new Uint8Array(bytes)))

/** Returns the public part of a payment: what the token accepts once. */
export const authorizationOf = ({ chainId, token, from, payTo, nonce, validBefore }: Payment): Authorization => ({
  ...{ chainId, token, from, to: payTo, nonce, validBefore },
})

/** Returns the header of a payment (x402, version 2). */
export function paymentHeader(payment: Payment): string {
  const { chainId, token, name, version, units, payTo, valid, from, nonce, validBefore, signature, identifier } =
    payment
  const extra = { assetTransferMethod: 'eip3009', name, version }
  const asked = { scheme: 'exact', network: `eip155:${chainId}`, amount: `${units}`, asset: token, payTo }
  const times = { validAfter: '0', validBefore: `${validBefore}` }
  return encoded({
    x402Version: 2,
    accepted: { ...asked, maxTimeoutSeconds: valid, extra },
    payload: { signature, authorization: { from, to: payTo, value: `${units}`, ...times, nonce } },
    extensions: { 'payment-identifier': { info: { required: false, id: identifier } } },
  })
}

/** Returns a payment as text for a store. */
export const paymentText = ({ units, ...payment }: Payment) => JSON.stringify({ ...payment, units: `${units}` })

/** Parses a payment of a store. Throws TidegateError `PAYMENT_UNREADABLE`: it may have been sent. */
export function paymentIn(text: string): Payment {
  try {
    const { units, ...rest } = fieldsOf(JSON.parse(text))
    const { chainId, token, payTo, from, nonce, signature, validBefore, valid, name, version, identifier } = rest
    const addresses = [token, payTo, from].every((one) => addressIn(one) !== undefined)
    const numbers = [chainId, validBefore, valid].every((one) => Number.isSafeInteger(one))
    const texts = [name, version, identifier].every((one) => typeof one === 'string')
    if (addresses && numbers && texts && isHex(nonce) && size(nonce) === 32 && isHex(signature))
      return { ...rest, units: BigInt(units as string) } as unknown as Payment
  } catch {
    // not JSON, or no number
  }
  throw new TidegateError(
    'PAYMENT_UNREADABLE',
    'A signed payment for this asset is kept, and cannot be read. Look on the chain whether it was used before you remove it.',
  )
}
