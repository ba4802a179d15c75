import type { PublicClient, WalletClient } from 'viem'
import type { SignIn, Token } from './auth/types.js'
import type { Api } from './http/api.js'
import type { Made } from './purchasing/types.js'

/** The provider, its chain, and the account of a client. */
export interface TidegateOptions {
  /** URL of the provider, with its path if it has one: `https://provider.example`. */
  url: string
  /** The wallet that signs and pays: a viem WalletClient of a browser wallet or of a local account. */
  wallet?: WalletClient | undefined
  /** URL of a chain node. Default: `publicClient`, or the wallet's own node. */
  rpcUrl?: string | undefined
  /** A client of the chain for reading. Make it with `ccipRead: false`. */
  publicClient?: PublicClient | undefined
  /** An auth token instead of signatures. */
  token?: string | undefined
  /** Milliseconds for a request and its whole response, except files; a minute by default. */
  timeout?: number | undefined
  /**
   * Reads documents of other hosts, such as terms that a publisher has elsewhere; in Node `webDocuments` of
   * `@tidegate/client/node`. Default: only files of the provider are read.
   */
  documents?: ReadDocument | undefined
}

/** Requests a document without following redirects. A publisher chooses the URL, so it may be one of the reader's own network. */
export type ReadDocument = (url: URL, provider: URL, signal: AbortSignal) => Promise<Response>

/** State of one client. Every call takes it, and there is no other state. */
export interface Context {
  /** URL of the provider, without a slash at its end. */
  readonly url: string
  /** Requests to the provider, with its errors as `TidegateError`. */
  readonly api: Api
  /** The wallet that signs and pays; undefined for a client that only reads. */
  readonly wallet: WalletClient | undefined
  /** An auth token instead of signed requests. */
  readonly token: string | undefined
  /** Reads documents of other hosts than the provider's. */
  readonly documents: ReadDocument | undefined
  /** State that later calls share. */
  readonly session: Session
  /**
   * Returns a reading client of a chain. Throws TidegateError `NO_CHAIN` if the client has none, `WRONG_NETWORK` for another
   * chain.
   */
  chain(chainId: number): Promise<PublicClient>
}

export interface Session {
  /** The last signed nonce: concurrent requests must not sign the same one. */
  nonce: bigint
  /** The provider's parameters of sign-in messages. */
  signIn?: Promise<SignIn | undefined> | undefined
  /** A token instead of a prompt for each request, for wallets that prompt. */
  token?: Promise<Token> | undefined
  /** Sessions in which credentials were presented, by DID and service. */
  presented?: Map<string, string> | undefined
  /** Signed payments whose outcome is not known: no other one may be signed meanwhile. */
  payments?: Map<string, Promise<Made>> | undefined
}
