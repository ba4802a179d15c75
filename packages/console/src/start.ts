import { configState } from './state/config.js'
import { watchTransactions } from './state/watching.js'
import { text } from './text.js'
import { addWallet, discoverWallets } from './wallet/discovery.js'
import { reconnect } from './wallet/wallet.js'

let begun = false

/** Starts wallets and the transactions of earlier visits, after the page's settings have loaded. */
export function begin(): void {
  const state = configState.get()
  if (begun || state.state !== 'ready') return
  begun = true
  discoverWallets()
  reconnect()
  watchTransactions()
  const { local, chains } = state.config
  const [chain] = chains
  // loaded only on local networks
  if (local && chain?.rpcUrl) {
    const { chainId, rpcUrl } = chain
    void import('./wallet/local.js').then(({ localWallet }) =>
      addWallet(localWallet(local.accounts, chainId, rpcUrl, text.local.wallet)),
    )
  }
}
