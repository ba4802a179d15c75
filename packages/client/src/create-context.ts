import { chainReader } from './chain/chain-reader.js'
import type { Context, TidegateOptions } from './context.js'
import { TidegateError } from './errors.js'
import { createApi } from './http/api.js'

/** Creates a context, for calls that are imported one by one. Throws TidegateError `BAD_OPTION`. */
export function createContext({
  url,
  wallet,
  rpcUrl,
  publicClient,
  token,
  timeout,
  documents,
}: TidegateOptions): Context {
  const base = baseOf(url)
  if (token !== undefined && !/^[\w.~+/=-]+$/.test(token))
    throw new TidegateError('BAD_OPTION', 'token is not an auth token.')
  return {
    url: base,
    api: createApi(base, token, timeout),
    wallet,
    token,
    documents,
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
