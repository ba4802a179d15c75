import { plainLine } from '../format/hostile.js'
import { CONSOLE_LIMITS } from '../limits.js'
import { createStore } from '../state/store.js'
import type { Eip1193Provider, FoundWallet } from './provider.js'

/** Most wallets of a page. */
const MOST = 20
/** Id of a wallet without a name, from before EIP-6963. */
const INJECTED = 'injected'

/** Wallets of this browser, in the order of their announcements. */
export const foundWallets = createStore<FoundWallet[]>([])

/** Requests announcements of wallets; wallets that load later announce themselves. */
export function discoverWallets(): void {
  addEventListener('eip6963:announceProvider', (event) => {
    const wallet = announced((event as CustomEvent<unknown>).detail)
    if (wallet) add(wallet)
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
  addInjected()
  // sent by wallets that need a moment
  addEventListener('ethereum#initialized', addInjected, { once: true })
}

export function addWallet(wallet: FoundWallet): void {
  add(wallet)
}

/** Returns an announced wallet; undefined if it is invalid. */
export function announced(detail: unknown): FoundWallet | undefined {
  const { info, provider } = (detail ?? {}) as { info?: Record<string, unknown>; provider?: Eip1193Provider }
  if (typeof provider?.request !== 'function' || typeof info !== 'object' || info === null) return undefined
  const { rdns, uuid, name, icon } = info
  const id = typeof rdns === 'string' && rdns ? rdns : uuid
  if (typeof id !== 'string' || typeof name !== 'string') return undefined
  const image =
    typeof icon === 'string' && /^data:image\/[\w.+-]+[;,]/i.test(icon) && icon.length <= CONSOLE_LIMITS.wallets.icon
  return { id: id.slice(0, 200), name: plainLine(name, 40) || id.slice(0, 40), provider, ...(image ? { icon } : {}) }
}

function add(wallet: FoundWallet): void {
  foundWallets.set((found) => {
    if (found.length >= MOST || found.some(({ id, provider }) => id === wallet.id || provider === wallet.provider))
      return found
    // an announced wallet is not shown again as the nameless one
    const named = found.filter(
      ({ id, provider }) => id !== INJECTED || (provider !== wallet.provider && wallet.builtIn),
    )
    return [...named, wallet]
  })
}

function addInjected(): void {
  const { ethereum: provider } = globalThis as { ethereum?: Eip1193Provider }
  const others = foundWallets.get().some(({ builtIn }) => !builtIn)
  if (typeof provider?.request === 'function' && !others) add({ id: INJECTED, name: '', provider })
}
