import { type Context, createContext } from '@tidegate/client'
import { createWalletClient, custom } from 'viem'
import { journalled } from '../wallet/journalled.js'
import { walletState } from '../wallet/wallet.js'
import { readerOf } from './chains.js'
import { config, providerUrl } from './config.js'
import type { Purpose } from './journal.js'

/** Tokens and nonces of each account, which every call shares: a wallet is asked once an hour. */
const sessions = new Map<string, Context['session']>()

/** What calls of the library work with: the provider of this page, and the wallet that is connected now, if any. */
export function contextNow(purpose?: () => Purpose): Context {
  const state = walletState.get()
  if (state.status !== 'connected') return reading()
  const { address, chainId, wallet } = state
  const provider = purpose ? journalled(wallet.provider, chainId, purpose) : wallet.provider
  const client = createWalletClient({ account: address, transport: custom(provider, { retryCount: 0 }) })
  const base = createContext({ url: providerUrl(), wallet: client })
  const session = sessions.get(address) ?? base.session
  sessions.set(address, session)
  // what is published names the public address, whatever this page was opened by
  return { ...base, url: config().provider ?? base.url, session, chain: readerOf }
}

/** As `contextNow`, without a wallet. */
export function reading(): Context {
  return { ...createContext({ url: providerUrl() }), chain: readerOf }
}
