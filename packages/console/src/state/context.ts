import { type Context, createContext } from '@tidegate/client'
import { createWalletClient, custom } from 'viem'
import { explained } from '../wallet/explained.js'
import { journalled } from '../wallet/journalled.js'
import { walletState } from '../wallet/wallet.js'
import { useKeptCredentials } from './buying/kept-credentials.js'
import { readerOf } from './chains.js'
import { config, providerUrl } from './config.js'
import type { Purpose } from './journal.js'

/** Shared tokens and nonces of each account, so that a wallet is asked once an hour. */
const sessions = new Map<string, Context['session']>()

/** Returns the context of the library's calls: this provider, and the connected wallet if there is one. */
export function contextNow(purpose?: () => Purpose): Context {
  const state = walletState.get()
  if (state.status !== 'connected') return reading()
  const { address, chainId, wallet } = state
  const own = wallet.builtIn ? wallet.provider : explained(wallet.provider)
  const provider = purpose ? journalled(own, chainId, purpose) : own
  const client = createWalletClient({ account: address, transport: custom(provider, { retryCount: 0 }) })
  const base = createContext({ url: providerUrl(), wallet: client })
  const session = sessions.get(address) ?? base.session
  if (session === base.session) useKeptCredentials(base, address)
  sessions.set(address, session)
  // published documents name the public address, whatever the address of this page is
  return { ...base, url: config().provider ?? base.url, session, chain: readerOf }
}

/** Like `contextNow`, without a wallet. */
export function reading(): Context {
  const base = createContext({ url: providerUrl() })
  return { ...base, url: config().provider ?? base.url, chain: readerOf }
}
