import { WALLET_CODES } from '@tidegate/protocol/constants'
import { type Address, getAddress, isAddress } from 'viem'
import { keep, kept } from '../state/kept.js'
import { createStore } from '../state/store.js'
import { foundWallets } from './discovery.js'
import type { FoundWallet } from './provider.js'

export type WalletState =
  | { status: 'none' }
  | { status: 'connecting'; wallet: FoundWallet }
  | { status: 'connected'; wallet: FoundWallet; address: Address; chainId: number }

/** The connected wallet. */
export const walletState = createStore<WalletState>({ status: 'none' })

/** Storage name of the last wallet. */
const LAST = 'wallet'
let forget: (() => void) | undefined

/** Asks a wallet for its accounts, which opens its own window. Throws the wallet's errors. */
export async function connect(wallet: FoundWallet): Promise<void> {
  const before = walletState.get()
  walletState.set({ status: 'connecting', wallet })
  try {
    await adopt(wallet, await wallet.provider.request({ method: 'eth_requestAccounts' }))
    keep(LAST, wallet.id)
  } catch (error) {
    walletState.set(before)
    throw error
  }
}

/** Forgets the wallet on this page. The wallet itself may still list the page as connected. */
export function disconnect(): void {
  forget?.()
  forget = undefined
  keep(LAST, undefined)
  walletState.set({ status: 'none' })
}

/** Connects the wallet of the last visit, if it still shows an account without asking. */
export function reconnect(): void {
  const last = kept(LAST, String, '')
  const attempt = () => {
    const wallet = foundWallets.get().find(({ id }) => id === last)
    if (!wallet || walletState.get().status !== 'none') return
    stop()
    wallet.provider
      .request({ method: 'eth_accounts' })
      .then((accounts) => adopt(wallet, accounts))
      .catch(() => undefined)
  }
  if (!last) return
  const stop = foundWallets.subscribe(attempt)
  attempt()
}

function addressIn(accounts: unknown): Address | undefined {
  const [first] = Array.isArray(accounts) ? accounts : []
  return typeof first === 'string' && isAddress(first, { strict: false }) ? getAddress(first) : undefined
}

async function adopt(wallet: FoundWallet, accounts: unknown): Promise<void> {
  const { provider } = wallet
  const address = addressIn(accounts)
  if (!address) throw Object.assign(new Error('The wallet shows no account.'), { code: WALLET_CODES.unauthorized })
  const chainId = Number(await provider.request({ method: 'eth_chainId' }))
  forget?.()
  walletState.set({ status: 'connected', wallet, address, chainId })
  const accountsChanged = (changed: unknown) => {
    const next = addressIn(changed)
    if (next) update({ address: next })
    else disconnect()
  }
  const chainChanged = (changed: unknown) => update({ chainId: Number(changed) })
  const gone = () => undefined
  provider.on?.('accountsChanged', accountsChanged as never)
  provider.on?.('chainChanged', chainChanged as never)
  provider.on?.('disconnect', gone as never)
  forget = () => {
    provider.removeListener?.('accountsChanged', accountsChanged as never)
    provider.removeListener?.('chainChanged', chainChanged as never)
    provider.removeListener?.('disconnect', gone as never)
  }
}

function update(changes: { address: Address } | { chainId: number }): void {
  walletState.set((now) => (now.status === 'connected' ? { ...now, ...changes } : now))
}
