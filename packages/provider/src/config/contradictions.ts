import type { Settings } from './schema.js'

/** Addresses that listen on all others as well. */
const ALL = new Set(['0.0.0.0', '::', '[::]'])

/** A part of a path that is long and mixed like a key, as most node providers write it. */
const KEY_IN_PATH = /\/(?=[^/]*\d)(?=[^/]*[a-z])[\w-]{20,}(?=\/|$)/i

/** Returns a line for each contradiction between settings that are valid alone. Quotes no secret. */
export function contradictions(settings: Settings): string[] {
  return [
    ...portProblems(settings),
    ...agreementProblems(settings),
    ...consoleProblems(settings),
    ...webhookProblems(settings),
    ...purchaseProblems(settings),
  ]
}

function portProblems({ HOST, PORT, METRICS_HOST, METRICS_PORT }: Settings): string[] {
  const isShared = HOST === METRICS_HOST || ALL.has(HOST) || ALL.has(METRICS_HOST)
  if (PORT === 0 || METRICS_PORT !== PORT || !isShared) return []
  return [`METRICS_PORT: must not be PORT, which is ${PORT} as well.`]
}

function agreementProblems({ NETWORK_URL: { all, byChain }, RPC_AGREEMENT: needed }: Settings): string[] {
  const chains: [string, URL[]][] = all
    ? [['the chain', all]]
    : [...byChain].map(([chainId, urls]) => [`chain ${chainId}`, urls])
  return chains.flatMap(([chain, urls]) => {
    const nodes = new Set(urls.map(({ href }) => href)).size
    if (nodes >= needed) return []
    return [`RPC_AGREEMENT: ${needed} nodes cannot agree, since NETWORK_URL names ${nodes} for ${chain}.`]
  })
}

function consoleProblems({ CONSOLE_RPC_URLS: nodes = new Map<number, URL>() }: Settings): string[] {
  return [...nodes].flatMap(([chainId, { pathname, searchParams }]) => {
    const hasKey = KEY_IN_PATH.test(pathname) || [...searchParams.keys()].some((name) => /key|token|secret/i.test(name))
    return hasKey
      ? [`CONSOLE_RPC_URLS: for chain ${chainId} holds a key, which everybody could read. Name a node without one.`]
      : []
  })
}

function webhookProblems({ WEBHOOK_URL: url, WEBHOOK_SECRET: secret }: Settings): string[] {
  if ((url === undefined) === (secret === undefined)) return []
  return [url ? 'WEBHOOK_SECRET: is required with WEBHOOK_URL.' : 'WEBHOOK_URL: is required with WEBHOOK_SECRET.']
}

function purchaseProblems({ PURCHASES, PURCHASE_PRIVATE_KEY: key, PURCHASE_TOKENS: tokens }: Settings): string[] {
  if (PURCHASES === 'off') return []
  return [
    ...(key ? [] : ['PURCHASE_PRIVATE_KEY: is required with PURCHASES=on.']),
    ...(tokens ? [] : ['PURCHASE_TOKENS: is required with PURCHASES=on.']),
  ]
}
