import type { PublicClient, WalletClient } from 'viem'
import type { SignIn } from './auth/sign-in.js'
import type { Token } from './auth/tokens.js'
import { chainReader } from './chain/chain-reader.js'
import { TidegateError } from './errors.js'
import { type Api, createApi } from './http/api.js'

/** How a provider and its chain are reached, and who asks. */
export interface TidegateOptions {
  /** The provider's address: `https://provider.example`, with a path where it lies behind one. */
  url: string
  /** Who signs and pays: a viem WalletClient, of a browser's wallet or with an account of its own. */
  wallet?: WalletClient | undefined
  /** A node of the chain. Without it and without `publicClient` the wallet's own node is asked. */
  rpcUrl?: string | undefined
  /** A client of the chain for reading. Make it with `ccipRead: false`. */
  publicClient?: PublicClient | undefined
  /** An auth token, sent in place of signatures. */
  token?: string | undefined
  /** Milliseconds for a request and its whole answer, files apart; a minute by default. */
  timeout?: number | undefined
}

/** State of one client: every call takes it. Nothing is kept beside it. */
export interface Context {
  /** The provider's address, without a slash at its end. */
  readonly url: string
  /** Requests to the provider, with its errors as `TidegateError`. */
  readonly api: Api
  /** Who signs and pays. Undefined for a client that only reads. */
  readonly wallet: WalletClient | undefined
  /** An auth token that takes the place of signed requests. */
  readonly token: string | undefined
  /** State that later calls share. */
  readonly session: Session
  /** A client of a chain for reading. Throws TidegateError `NO_CHAIN` if none was given, `WRONG_NETWORK` for another chain. */
  chain(chainId: number): Promise<PublicClient>
}

export interface Session {
  /** The last nonce that was signed here: requests that run at once must not sign the same. */
  nonce: bigint
  /** Whether the provider takes signatures that name it. */
  signIn?: Promise<SignIn | undefined> | undefined
  /** A token in place of a prompt for each request, for wallets that ask people. */
  token?: Promise<Token> | undefined
}

/** Creates the context of calls that are imported one by one. Throws TidegateError `BAD_OPTION`. */
export function createContext({ url, wallet, rpcUrl, publicClient, token, timeout }: TidegateOptions): Context {
  const base = baseOf(url)
  if (token !== undefined && !/^[\w.~+/=-]+$/.test(token))
    throw new TidegateError('BAD_OPTION', 'token is not an auth token.')
  return {
    url: base,
    api: createApi(base, token, timeout),
    wallet,
    token,
    session: { nonce: 0n },
    chain: chainReader({ publicClient, rpcUrl, wallet }),
  }
}

function baseOf(url: string): string {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw new TidegateError('BAD_OPTION', 'url is not a URL.')
  }
  const { protocol, username, password, search, hash } = parsed
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TidegateError('BAD_OPTION', 'url must begin with http:// or https://.')
  if (username || password || search || hash)
    throw new TidegateError('BAD_OPTION', 'url must have no user, query or fragment.')
  return parsed.href.replace(/\/+$/, '')
}
