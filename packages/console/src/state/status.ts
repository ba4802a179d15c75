import { TidegateError } from '@tidegate/client'
import { reading } from './context.js'

export interface ChainStatus {
  chainId: number
  ready: boolean
  head: number | null
  /** Last block that the index has read. */
  block: number | null
  /** Blocks left to read. */
  lag: number | null
  /** Milliseconds since the head was seen. */
  age: number | null
}

/** Limits that people may reach, without disabled ones. */
export interface Limits {
  filesPerService?: number
  documentSize?: number
  linkLifetime?: number
  checksumLength?: number
  requestsPerMinute?: number
  bytesPerMinute?: number
  requestsPerDay?: number
  bytesPerDay?: number
}

export interface ProviderStatus {
  version: string
  ready: boolean
  chains: ChainStatus[]
  limits: Limits
  /** Signing addresses of the provider, by chain. */
  providerAddresses: Record<string, string>
  at: Date
}

/** Requests the provider's status. Throws TidegateError. */
export async function statusNow(signal: AbortSignal): Promise<ProviderStatus> {
  const { api } = reading()
  const [status, root] = await Promise.all([
    api.get<Omit<ProviderStatus, 'at' | 'providerAddresses'>>('/api/services/status', {}, signal),
    api.get<Partial<ProviderStatus>>('/', {}, signal),
  ])
  if (!Array.isArray(status.chains)) throw new TidegateError('BAD_ANSWER', "The provider's response has no status.")
  return { ...status, providerAddresses: root.providerAddresses ?? {}, at: new Date() }
}
