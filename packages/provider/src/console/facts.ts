import type { Chains } from '@tidegate/chain'
import type { Operator } from '@tidegate/protocol/operator'
import { STORAGE_LIMITS } from '@tidegate/storage'
import type { Address, Hex } from 'viem'
import { operatorOf, verifiedNames } from '../config/operator.js'
import type { Settings } from '../config/schema.js'
import { packageVersion } from '../version.js'
import { KNOWN_NETWORKS } from './networks.js'

/** A chain in the configuration of the console. */
export interface ConsoleChain {
  chainId: number
  name: string
  /** Node for the browser. Without one, the console asks the wallet. */
  rpcUrl?: string
  currency: { symbol: string; decimals: number }
  /** Base URL of a block explorer. */
  explorer?: string
}

/** Limits for people. Limits that are off are left out. */
export interface PublicLimits {
  /** Files of one service. */
  filesPerService: number
  /** Bytes of a document. */
  documentSize: number
  /** Seconds for which a download link is valid. */
  linkLifetime: number
  /** Files up to this length get a checksum, in bytes. */
  checksumLength: number
  requestsPerMinute?: number
  bytesPerMinute?: number
  requestsPerDay?: number
  bytesPerDay?: number
}

/** The document /console/config.json, which is public. */
export interface ConsoleFacts {
  version: string
  /** Base URL of the service. Default: the origin of the console. */
  provider?: string
  chains: ConsoleChain[]
  hosting: { enabled: boolean; maxFile?: number }
  /** The tokens by chain for which this service orders, for buyers who pay by a signature. */
  purchases?: Record<string, readonly Address[]>
  limits: PublicLimits
  operator?: Operator
  /** Names that the operator has verified, by account. */
  verifiedPublishers?: Record<string, string>
  /** Path of the operator's logo, below the console. */
  logo?: string
  local?: { accounts: readonly Hex[] }
}

/** A development network: its node, and the public private keys of its accounts. */
export interface LocalChain {
  chainId: number
  rpcUrl: string
  accounts: readonly Hex[]
}

/**
 * Returns the configuration of the console. It contains only the settings named here, without the nodes of NETWORK_URL.
 * Only `tidegate dev` passes `local`.
 */
export function consoleFacts(settings: Settings, chains: Chains, local?: LocalChain): ConsoleFacts {
  const described = [...chains.values()].map(({ chainId, deployment }): ConsoleChain => {
    if (local?.chainId === chainId)
      return { chainId, name: 'Local network', rpcUrl: local.rpcUrl, currency: { symbol: 'ETH', decimals: 18 } }
    const { name = deployment.network, symbol = 'coins', explorer } = KNOWN_NETWORKS.get(chainId) ?? {}
    const rpcUrl = settings.CONSOLE_RPC_URLS?.get(chainId)?.href
    return {
      chainId,
      name,
      ...(rpcUrl ? { rpcUrl } : {}),
      currency: { symbol, decimals: 18 },
      ...(explorer ? { explorer } : {}),
    }
  })
  const enabled = settings.HOSTING !== 'off'
  const operator = operatorOf(settings)
  return {
    version: packageVersion(),
    ...(settings.PUBLIC_URL ? { provider: settings.PUBLIC_URL } : {}),
    chains: described,
    hosting: { enabled, ...(enabled ? { maxFile: settings.HOSTING_MAX_FILE } : {}) },
    ...purchasesOf(settings),
    limits: publicLimits(settings),
    ...(operator ? { operator } : {}),
    ...verifiedNames(settings),
    ...(local ? { local: { accounts: local.accounts } } : {}),
  }
}

function purchasesOf({ PURCHASES, PURCHASE_TOKENS: tokens }: Settings): Pick<ConsoleFacts, 'purchases'> {
  return PURCHASES === 'off' || !tokens ? {} : { purchases: Object.fromEntries(tokens.byChain) }
}

export function publicLimits(settings: Settings): PublicLimits {
  const { RATE_LIMIT_REQUESTS, RATE_LIMIT_BYTES, CONSUMER_REQUESTS_PER_DAY, CONSUMER_BYTES_PER_DAY } = settings
  const optional = {
    requestsPerMinute: RATE_LIMIT_REQUESTS,
    bytesPerMinute: RATE_LIMIT_BYTES,
    requestsPerDay: CONSUMER_REQUESTS_PER_DAY,
    bytesPerDay: CONSUMER_BYTES_PER_DAY,
  }
  return {
    filesPerService: STORAGE_LIMITS.files.count,
    documentSize: settings.MAX_DDO_SIZE,
    linkLifetime: settings.DOWNLOAD_LINK_LIFETIME,
    checksumLength: settings.MAX_CHECKSUM_LENGTH,
    // 0 means no limit
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value > 0)),
  }
}

/** Returns the problems of CONSOLE_RPC_URLS, one line each. */
export function nodeProblems({ CONSOLE_RPC_URLS: nodes }: Settings, chains: Chains): string[] {
  const foreign = [...(nodes?.keys() ?? [])].filter((chainId) => !chains.has(chainId))
  return foreign.map((chainId) => `CONSOLE_RPC_URLS: chain ${chainId} is not served.`)
}
