import { SECONDS } from '@tidegate/protocol/constants'
import { fieldsOf, listOf } from '@tidegate/protocol/values'
import { type Account, type Address, getAddress, type Hex, type WalletClient } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { SignIn } from './types.js'

/**
 * Returns the provider's parameters for sign-in messages, or undefined if it accepts only older texts. Asks once. Throws
 * TidegateError `SIGNATURE_NAMES_NO_PROVIDER` if the provider accepts only messages for another URL.
 */
export function signInOf(context: Context): Promise<SignIn | undefined> {
  const { session } = context
  session.signIn ??= ask(context).catch((error) => {
    session.signIn = undefined
    throw error
  })
  return session.signIn
}

async function ask({ api, url }: Context): Promise<SignIn | undefined> {
  const root = fieldsOf(await api.get('/').catch(unlessUnsupported))
  const { url: named, required, maxLifetime, linkLifetime } = fieldsOf(root.signIn)
  const chainIds = listOf(root.chainIds, 1000).filter((id): id is number => Number.isSafeInteger(id))
  if (typeof named !== 'string') return undefined
  // a message names this client's own URL: a provider could name another one to use the message there
  if (named.replace(/\/+$/, '') === url && chainIds.length > 0)
    return { chainIds, maxLifetime: secondsOf(maxLifetime), linkLifetime: secondsOf(linkLifetime) }
  if (required !== true) return undefined
  const message = 'The provider takes only signatures that name it, and has another URL than this client was given.'
  throw new TidegateError('SIGNATURE_NAMES_NO_PROVIDER', message)
}

/** Ignores a root document of another form: not every provider has sign-in messages. */
function unlessUnsupported(error: unknown): undefined {
  const { code, status = 200 } = error instanceof TidegateError ? error : { code: '' }
  if (code === 'BAD_ANSWER' || code === 'REDIRECTED' || (status >= 400 && status < 500 && status !== 429)) return
  throw error
}

function secondsOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : SECONDS.hour
}

/** The fields of a sign-in message. */
export interface SignInText {
  address: Address
  /** Path of the resource below the provider's URL; empty for a token. */
  path: '' | `/${string}`
  statement: string
  chainId: number
  nonce: string
  /** Seconds since 1970. */
  expires?: number
}

/**
 * Returns the text of EIP-4361 for the provider at `url`. viem's own builder refuses hosts without a dot, which private
 * networks use.
 */
export function signInText(url: string, { address, path, statement, chainId, nonce, expires }: SignInText): string {
  return [
    `${new URL(url).host} wants you to sign in with your Ethereum account:`,
    getAddress(address),
    '',
    statement,
    '',
    `URI: ${url}${path}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date().toISOString()}`,
    ...(expires === undefined ? [] : [`Expiration Time: ${new Date(expires * 1000).toISOString()}`]),
  ].join('\n')
}

/** Returns the chain of a message: the wallet's own if the account may be a contract wallet. */
export async function signInChain(
  wallet: WalletClient,
  account: Account | Address,
  { chainIds }: SignIn,
): Promise<number> {
  const isLocal = typeof account !== 'string' && account.type === 'local'
  const current = wallet.chain?.id ?? (isLocal ? undefined : await wallet.getChainId().catch(() => undefined))
  return chainIds.find((id) => id === current) ?? (chainIds[0] as number)
}

/** A sign-in message with its signature, as proof of a request. */
export interface SignedMessage {
  message: string
  signature: Hex
}
