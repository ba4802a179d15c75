import { type VerifiedPublishers, verifiedIn } from '@tidegate/client'
import type { Operator } from '@tidegate/protocol/operator'
import { BASE } from './page/base.js'
import { createStore } from './store.js'

export interface ChainConfig {
  chainId: number
  name: string
  /** A public node for browsers. Without it the chain is read through the wallet. */
  rpcUrl?: string
  currency: { symbol: string; decimals: number }
  explorer?: string
}

/** The service's settings for the page: `/console/config.json`. */
export interface Config {
  version: string
  /** The provider's public address, for published documents. */
  provider?: string
  chains: ChainConfig[]
  hosting: { enabled: boolean; maxFile?: number }
  /** The tokens by chain for which the provider orders, for buyers who pay by a signature. */
  purchases?: Record<string, readonly string[]>
  operator?: Operator
  /** Names that the operator has verified. */
  verifiedPublishers: VerifiedPublishers
  /** Path of the operator's logo, below the page. */
  logo?: string
  /** Keys of a local network's accounts, only under `tidegate dev`. */
  local?: { accounts: `0x${string}`[] }
}

export type ConfigState = { state: 'loading' } | { state: 'ready'; config: Config } | { state: 'failed' }

export const configState = createStore<ConfigState>({ state: 'loading' })

/** Returns the provider's URL: one level above the page. */
export function providerUrl(): string {
  return new URL('..', new URL(BASE, location.origin)).href.replace(/\/$/, '')
}

export async function fetchConfig(): Promise<Config> {
  const response = await fetch(`${BASE}config.json`, { cache: 'no-store' })
  if (!response.ok) throw new Error(String(response.status))
  const told = await response.json()
  return { ...told, verifiedPublishers: verifiedIn(told.verifiedPublishers) } as Config
}

export async function loadConfig(): Promise<void> {
  try {
    configState.set({ state: 'ready', config: await fetchConfig() })
  } catch {
    if (configState.get().state !== 'ready') configState.set({ state: 'failed' })
  }
}

/** Returns the settings of the page. Throws before they have loaded: `App` draws nothing until then. */
export function config(): Config {
  const state = configState.get()
  if (state.state !== 'ready') throw new Error('The settings of the page are not there yet.')
  return state.config
}

export function chainOf(chainId: number): ChainConfig | undefined {
  return config().chains.find((chain) => chain.chainId === chainId)
}
