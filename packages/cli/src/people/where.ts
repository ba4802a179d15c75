import { misuse } from '@tidegate/provider/commands/failures'
import { readKept } from './kept.js'
import { runningNetworks } from './local-networks.js'

export interface WhereOptions {
  provider?: string | undefined
  rpc?: string | undefined
}

/** The provider and node of a command, and the source of the provider's URL. */
export interface Where {
  provider: string
  /** Undefined if none is named: then only the provider's own data are available. */
  rpc: string | undefined
  from: 'option' | 'environment' | 'kept' | 'dev'
}

/**
 * Returns the provider and node: of the options, the environment, `tidegate use`, or a running local network. A saved node
 * applies only to its provider. Throws CommandError.
 */
export function where(options: WhereOptions): Where {
  const { provider, from, rpcs } = providerOf(options)
  const rpc =
    checkedUrl('--rpc', options.rpc) ?? checkedUrl('TIDEGATE_RPC', process.env.TIDEGATE_RPC) ?? rpcs.get(provider)
  return { provider, from, rpc }
}

function providerOf(options: WhereOptions): Pick<Where, 'provider' | 'from'> & { rpcs: Map<string, string> } {
  const rpcs = new Map<string, string>()
  const networks = runningNetworks()
  for (const { providerUrl, rpcUrl } of networks) rpcs.set(tidy(providerUrl), rpcUrl)
  const named = checkedUrl('--provider', options.provider)
  const inEnvironment = checkedUrl('TIDEGATE_PROVIDER', process.env.TIDEGATE_PROVIDER)
  // ignores a damaged file that is not needed
  const kept = named !== undefined || inEnvironment !== undefined ? keptIfReadable() : readKept()
  if (kept?.rpc !== undefined) rpcs.set(tidy(kept.provider), kept.rpc)
  if (named !== undefined) return { provider: named, from: 'option', rpcs }
  if (inEnvironment !== undefined) return { provider: inEnvironment, from: 'environment', rpcs }
  if (kept) return { provider: tidy(kept.provider), from: 'kept', rpcs }
  const [network, another] = networks
  if (another) {
    const urls = networks.map(({ providerUrl }) => providerUrl).join(', ')
    throw misuse(`several local networks are running: choose one with --provider (${urls}).`)
  }
  if (network) return { provider: tidy(network.providerUrl), from: 'dev', rpcs }
  throw misuse('no provider is named: use --provider URL, TIDEGATE_PROVIDER, or save one with `tidegate use URL`.')
}

function keptIfReadable() {
  try {
    return readKept()
  } catch {
    return undefined
  }
}

const tidy = (url: string) => new URL(url).href.replace(/\/+$/, '')

/**
 * Parses a URL of an option or a variable; undefined if it is missing or empty. Throws CommandError, which does not quote
 * it.
 */
export function checkedUrl(name: string, text: string | undefined): string | undefined {
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw misuse(`${name}: must be a URL that begins with http:// or https://.`)
  if (url.username || url.password) throw misuse(`${name}: must not hold a user name or password.`)
  return tidy(text)
}
