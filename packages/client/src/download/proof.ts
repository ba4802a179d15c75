import { SECONDS } from '@tidegate/protocol/constants'
import type { Command } from '@tidegate/protocol/messages'
import type { Address, Hex } from 'viem'
import { signInOf } from '../auth/sign-in.js'
import { addressOf, type Proof, signed } from '../auth/signing.js'
import { createToken } from '../auth/tokens.js'
import type { SignIn } from '../auth/types.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Answer } from '../http/answer.js'
import type { Query, Send } from '../http/api.js'

/** The consumer of a request, with a signature unless a token replaces it. */
export type Shown = Pick<Proof, 'address'> & Partial<Proof>

/** The requested file in the provider's parameters. */
export interface FileRequest {
  documentId: string
  serviceId: string
  fileIndex?: number
  archive?: 'zip'
  transferTxId: Hex
  /** JSON of the consumer parameters of the service. */
  userdata?: string | undefined
  /** JSON of what the policy server gets. */
  policyServer?: string | undefined
}

/** Sends a request with the consumer and the headers of a proof. */
type SendProven<T> = (shown: Shown, headers: Record<string, string>) => Promise<T>

/**
 * Sends one request with a proof: the client's token while it is valid, otherwise the wallet's signature. With a provider
 * that accepts sign-in messages, the wallet creates a token for this request, which lasts as long as a link: `lifetime` seconds,
 * or the provider's default. Without `lifetime`, a wallet that prompts shares the token of `provenOften`. Throws TidegateError `NO_WALLET`, `TOKEN_EXPIRED`, `TOKEN_DELETED`, `TOKEN_INVALID`, and the
 * errors of `send`.
 */
export function provenOnce<T>(
  context: Context,
  command: Command,
  send: SendProven<T>,
  { lifetime, signal }: { lifetime?: number | undefined; signal?: AbortSignal | undefined } = {},
): Promise<T> {
  return byToken(context, send, async () => {
    const signIn = context.wallet && (await signInOf(context))
    if (prompts(context) && lifetime === undefined) return bySession(context, send, signIn && sharedLifetime(signIn))
    if (!signIn) return signed(context, command, (shown) => send(shown, {}), signal)
    const { shown, headers } = await proveByToken(context, lifetime, signal)
    return send(shown, headers)
  })
}

/** Returns a proof for several requests: the client's token, or a new one that lasts as long as a link. Throws TidegateError. */
export async function proveByToken(
  context: Context,
  lifetime: number | undefined,
  signal: AbortSignal | undefined,
): Promise<{ shown: Shown; headers: Record<string, string> }> {
  if (context.token !== undefined && !context.wallet)
    return { shown: { address: holderOf(context.token) }, headers: {} }
  const signIn = await signInOf(context)
  const wanted = lifetime ?? signIn?.linkLifetime
  const bounded = wanted === undefined ? {} : { lifetime: Math.min(wanted, signIn?.maxLifetime ?? wanted) }
  const { token } = await createToken(context, { ...bounded, ...(signal ? { signal } : {}) })
  return { shown: { address: await addressOf(context) }, headers: { AuthToken: token } }
}

/**
 * Sends one of many requests with a proof. Like `provenOnce`, but a wallet that prompts signs a token once an hour. With a
 * provider that accepts sign-in messages, every wallet does.
 */
export function provenOften<T>(
  context: Context,
  command: Command,
  send: SendProven<T>,
  signal?: AbortSignal,
): Promise<T> {
  return byToken(context, send, async () => {
    if (!prompts(context) && !(context.wallet && (await signInOf(context))))
      return signed(context, command, (shown) => send(shown, {}), signal)
    return bySession(context, send)
  })
}

/** Returns the seconds of a shared token for links: at least an hour, if the provider grants that. */
function sharedLifetime({ linkLifetime, maxLifetime }: SignIn): number {
  return Math.min(Math.max(SECONDS.hour, linkLifetime), maxLifetime)
}

/** Returns whether the wallet asks a person for each signature. */
function prompts({ wallet }: Context): boolean {
  return wallet !== undefined && wallet.account?.type !== 'local'
}

/** Sends a request with the shared token, and again with a new token if the provider refuses it. */
async function bySession<T>(context: Context, send: SendProven<T>, lifetime?: number): Promise<T> {
  const withToken = async () =>
    send({ address: await addressOf(context) }, { AuthToken: await sessionToken(context, lifetime) })
  try {
    return await withToken()
  } catch (error) {
    if (!isRefused(error, 'TOKEN_')) throw error
    context.session.token = undefined
    return await withToken()
  }
}

/** Sends a request with the client's token, or by its wallet if there is no token or the provider refuses it. */
async function byToken<T>({ token, wallet }: Context, send: SendProven<T>, byWallet: () => Promise<T>): Promise<T> {
  if (token === undefined) return byWallet()
  try {
    return await send({ address: holderOf(token) }, {})
  } catch (error) {
    if (!isRefused(error, 'TOKEN_') || !wallet) throw error
    return byWallet()
  }
}

/**
 * Returns a function that sends requests for one file, each with its own proof: a download link or a token while it is
 * valid, then the wallet, which signs each request for files of a datatoken. `by` replaces `fetch`.
 */
export function opener(
  context: Context,
  request: FileRequest,
  link?: string,
  by?: Send,
): (headers: Record<string, string>, signal: AbortSignal) => Promise<Answer> {
  const { api, wallet } = context
  let good = link
  let signsEach = false
  return async (headers, signal) => {
    if (good !== undefined) {
      try {
        return await api.send({ path: good, headers, signal, by })
      } catch (error) {
        // by its number, a request would get another file
        const isGone = (error as TidegateError).code === 'LINK_FILE_GONE'
        if (isGone || !isRefused(error, 'LINK_') || !(wallet || context.token)) throw error
        good = undefined
      }
    }
    const open = (shown: Shown, proof: Record<string, string>) => {
      const query: Query = { ...request, ...consumerOf(shown) }
      return api.send({ path: '/api/services/download', query, headers: { ...headers, ...proof }, signal, by })
    }
    const sign = () => signed(context, 'download', (shown) => open(shown, {}), signal)
    if (signsEach) return sign()
    try {
      return await provenOften(context, 'download', open, signal)
    } catch (error) {
      if (!wallet || !isRefused(error, 'FILES_IN_DATATOKEN')) throw error
      signsEach = true
      return sign()
    }
  }
}

/** Returns the consumer parameters of a request for files. */
export function consumerOf({ address, ...proof }: Shown) {
  return { consumerAddress: address, ...proof }
}

/**
 * Returns the shared token. With `lifetime`, in seconds, a token with less than half of that left is replaced: links end with
 * their token.
 */
async function sessionToken(context: Context, lifetime?: number): Promise<string> {
  const { session } = context
  const shared = session.token
  const left = ((await shared)?.expires.getTime() ?? 0) - Date.now()
  // another request may have replaced it meanwhile
  if (lifetime !== undefined && left < lifetime * 500 && session.token === shared) session.token = undefined
  session.token ??= createToken(context, lifetime === undefined ? {} : { lifetime })
  try {
    return (await session.token).token
  } catch (error) {
    session.token = undefined
    throw error
  }
}

function isRefused(error: unknown, codes: 'TOKEN_' | 'LINK_' | 'FILES_IN_DATATOKEN'): boolean {
  return error instanceof TidegateError && error.code.startsWith(codes)
}

/** Returns the account in a token's own claims. Throws TidegateError `TOKEN_INVALID`. */
export function holderOf(token: string): Address {
  try {
    const payload = (token.split('.')[1] as string).replace(/-/g, '+').replace(/_/g, '/')
    const { address } = JSON.parse(atob(payload)) as { address?: unknown }
    if (typeof address === 'string') return address as Address
  } catch {
    // reported below
  }
  throw new TidegateError('TOKEN_INVALID', 'The auth token cannot be read.')
}
