import { type Command, modernMessage } from '@tidegate/protocol/messages'
import { fieldsOf } from '@tidegate/protocol/values'
import {
  type Account,
  type Address,
  type Hex,
  keccak256,
  type SignableMessage,
  stringToBytes,
  type WalletClient,
} from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import { type SignedMessage, type SignInText, signInChain, signInText } from './sign-in.js'
import type { SignIn } from './types.js'

/** The proof of a signed request. */
export interface Proof {
  address: Address
  /** A decimal number above every earlier nonce of the account. */
  nonce: string
  signature: Hex
}

/**
 * Returns the account that signs and pays: the wallet's own, or the first account of a browser wallet. Throws TidegateError
 * `NO_WALLET`.
 */
export async function accountOf({ wallet }: Context): Promise<Account | Address> {
  if (!wallet) throw new TidegateError('NO_WALLET', 'This call needs a wallet.')
  if (wallet.account) return wallet.account
  const [first] = await wallet.getAddresses()
  if (first) return first
  throw new TidegateError('NO_WALLET', 'The wallet shares no account. Connect it first.')
}

/** Returns the address of `accountOf`. */
export async function addressOf(context: Context): Promise<Address> {
  const account = await accountOf(context)
  return typeof account === 'string' ? account : account.address
}

/**
 * Sends a signed request, with a new proof for each attempt. Concurrent requests of one account can overtake each other: an
 * overtaken nonce is signed again, up to `LIMITS.nonceAttempts` times. Throws TidegateError `NO_WALLET`,
 * `SIGNATURE_REFUSED`, and the errors of `send`.
 */
export function signed<T>(
  context: Context,
  command: Command,
  send: (proof: Proof) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const prove = async ({ account, address, nonce }: Signer): Promise<Proof> => {
    const digest = keccak256(stringToBytes(modernMessage(address, nonce, command)))
    return { address, nonce, signature: await sign(context, account, { raw: digest }) }
  }
  return attempts(context, prove, send, signal)
}

/** Sends a request with a sign-in message (EIP-4361), which names the provider. Otherwise like `signed`. */
export async function signedIn<T>(
  context: Context,
  signIn: SignIn,
  { chainId: wanted, ...text }: Omit<SignInText, 'address' | 'nonce' | 'chainId'> & { chainId?: number | undefined },
  send: (proof: SignedMessage) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const prove = async ({ account, address, nonce }: Signer): Promise<SignedMessage> => {
    const chainId = wanted ?? (await signInChain(context.wallet as WalletClient, account, signIn))
    const message = signInText(context.url, { ...text, address, nonce, chainId })
    return { message, signature: await sign(context, account, message) }
  }
  return attempts(context, prove, send, signal)
}

/** The signing account and the nonce of an attempt. */
interface Signer {
  account: Account | Address
  address: Address
  nonce: string
}

async function attempts<P, T>(
  context: Context,
  prove: (signer: Signer) => Promise<P>,
  send: (proof: P) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const account = await accountOf(context)
    const address = typeof account === 'string' ? account : account.address
    const proof = await prove({ account, address, nonce: String(await nextNonce(context, address, signal)) })
    try {
      return await send(proof)
    } catch (error) {
      const overtaken = error instanceof TidegateError && error.fields?.nonce !== undefined
      if (!overtaken || attempt === LIMITS.nonceAttempts) throw error
    }
  }
}

/** Returns the time in milliseconds, or the last nonce plus one if that is later. */
async function nextNonce({ api, session }: Context, userAddress: Address, signal?: AbortSignal): Promise<bigint> {
  const { nonce } = fieldsOf(await api.get('/api/services/nonce', { userAddress }, signal))
  if (typeof nonce !== 'number' || !(nonce >= 0 && nonce <= Number.MAX_SAFE_INTEGER))
    throw new TidegateError('BAD_ANSWER', "The provider's nonce is not a number.")
  const least = [BigInt(Math.floor(nonce)), session.nonce].reduce((a, b) => (a > b ? a : b)) + 1n
  const now = BigInt(Date.now())
  session.nonce = least > now ? least : now
  return session.nonce
}

async function sign({ wallet }: Context, account: Account | Address, message: SignableMessage): Promise<Hex> {
  try {
    return await (wallet as WalletClient).signMessage({ account, message })
  } catch (cause) {
    throw new TidegateError('SIGNATURE_REFUSED', 'The wallet did not sign the request.', { cause })
  }
}
