import { BASE } from './page/base.js'
import { createStore } from './store.js'

export interface ChainConfig {
  chainId: number
  name: string
  /** A node that browsers may ask. Without it the chain is read through the wallet. */
  rpcUrl?: string
  currency: { symbol: string; decimals: number }
  explorer?: string
}

/** What the service tells the page about itself: `/console/config.json`. */
export interface Config {
  version: string
  /** The provider's public address, which is written into what is published. */
  provider?: string
  chains: ChainConfig[]
  hosting: { enabled: boolean; maxFile?: number }
  /** Keys of a local network's accounts: under `tidegate dev` alone. */
  local?: { accounts: `0x${string}`[] }
}

export type ConfigState = { state: 'loading' } | { state: 'ready'; config: Config } | { state: 'failed' }

export const configState = createStore<ConfigState>({ state: 'loading' })

/** Where the provider is: the page is served by it, one level below its root. */
export function providerUrl(): string {
  return new URL('..', new URL(BASE, location.origin)).href.replace(/\/$/, '')
}

export async function fetchConfig(): Promise<Config> {
  const response = await fetch(`${BASE}config.json`, { cache: 'no-store' })
  if (!response.ok) throw new Error(String(response.status))
  return (await response.json()) as Config
}

export async function loadConfig(): Promise<void> {
  try {
    configState.set({ state: 'ready', config: await fetchConfig() })
  } catch {
    if (configState.get().state !== 'ready') configState.set({ state: 'failed' })
  }
}

/** The settings of the page. Throws before they are there: nothing below `App` is drawn then. */
export function config(): Config {
  const state = configState.get()
  if (state.state !== 'ready') throw new Error('The settings of the page are not there yet.')
  return state.config
}

export function chainOf(chainId: number): ChainConfig | undefined {
  return config().chains.find((chain) => chain.chainId === chainId)
}
