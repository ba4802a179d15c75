import { checksummed, isAddressText } from '@tidegate/protocol'
import { type ProviderKey, providerKey } from '@tidegate/protocol/keys'
import type { Address } from 'viem'
import { parseObject } from './basic.js'
import { httpUrl } from './network.js'

/** One value for all chains, or values by chain id. */
export interface PerChain<T> {
  all?: T
  byChain: Map<number, T>
}

/** Returns the value for a chain, if any. */
export function forChain<T>(values: PerChain<T> | undefined, chainId: number): T | undefined {
  return values?.byChain.get(chainId) ?? values?.all
}

export function uint256(raw: string): bigint {
  if (!/^\d{1,78}$/.test(raw) || BigInt(raw) >= 1n << 256n) throw new Error('must be a whole number below 2^256')
  return BigInt(raw)
}

export function address(raw: string): Address {
  if (!isAddressText(raw)) throw new Error('must be an address (0x and 40 hex digits)')
  return checksummed(raw)
}

/** Parses public nodes for browsers: a JSON object from chain id to one http(s) URL without a user. */
export function publicNodes(raw: string): Map<number, URL> {
  const { byChain, all } = perChain(httpUrl)(raw)
  if (all) throw new Error('must be a JSON object from chain id to a URL')
  for (const [chainId, { host, username, password }] of byChain) {
    if (username || password) throw new Error(`for chain ${chainId} must not hold a user: browsers do not send it`)
    // the host becomes part of a header, where other characters have a meaning
    if (!/^[a-z0-9.:_[\]-]+$/.test(host)) throw new Error(`for chain ${chainId} has a host that is not valid`)
  }
  return byChain
}

/** Parses comma-separated private keys. */
export function privateKeys(raw: string): ProviderKey[] {
  return raw.split(',').map((part) => providerKey(part))
}

export function privateKey(raw: string): ProviderKey {
  return providerKey(raw)
}

/** Parses one value for all chains, or a JSON object of values by decimal chain id. */
export function perChain<T>(parse: (raw: string) => T): (raw: string) => PerChain<T> {
  return (raw) => {
    if (!raw.trimStart().startsWith('{')) return { all: parse(raw), byChain: new Map() }
    const byChain = new Map<number, T>()
    for (const [id, value] of Object.entries(parseObject(raw))) {
      if (!/^[1-9]\d{0,15}$/.test(id)) throw new Error('has a key that is not a chain id')
      const plain = Array.isArray(value) && value.every((part) => typeof part === 'string') ? value.join(',') : value
      if (typeof plain !== 'string' && typeof plain !== 'number')
        throw new Error(`must have a string or number for chain ${id}`)
      try {
        byChain.set(Number(id), parse(String(plain)))
      } catch (error) {
        throw new Error(`for chain ${id} ${(error as Error).message}`)
      }
    }
    if (byChain.size === 0) throw new Error('must name at least one chain')
    return { byChain }
  }
}

/** Parses addresses from a JSON list or a comma-separated one. */
export function addressList(raw: string): Address[] {
  const values = raw.trimStart().startsWith('[') ? parseObject(raw) : raw.split(',').map((part) => part.trim())
  return (values as unknown[]).map((value) => address(String(value)))
}

/** Parses a list of addresses, or `*` for anyone. */
export function publishers(raw: string): Address[] | '*' {
  return raw.trim() === '*' ? '*' : addressList(raw)
}

/** Parses contracts by chain: a JSON object from chain id to a list of addresses. */
export function addressesByChain(raw: string): PerChain<Address[]> {
  if (!raw.trimStart().startsWith('{')) throw new Error('must be a JSON object from chain id to a list of addresses')
  return perChain(addressList)(raw)
}

/** A compute environment. Orders may be quoted for it. */
export interface ComputeEnvironment {
  id: string
  /** The account that downloads files for it. Consumers see it as computeAddress. */
  consumerAddress: Address
  /** In the smallest unit of the chain's fee token. */
  pricePerMinute: bigint
  /** Its only chain. Undefined: all chains. */
  chainId?: number
}

export function computeEnvironments(raw: string): ComputeEnvironment[] {
  const list = parseObject(raw)
  if (!Array.isArray(list)) throw new Error('must be a JSON list')
  const environments = list.map((entry: Record<string, unknown> | null) => {
    const { id, consumerAddress, pricePerMinute = '0', chainId } = entry ?? {}
    if (typeof id !== 'string' || id === '') throw new Error('must have an id in every entry')
    if (chainId !== undefined && !Number.isSafeInteger(chainId))
      throw new Error(`has a chainId that is not a number in ${id}`)
    return {
      id,
      consumerAddress: fieldOf(id, 'consumerAddress', address, consumerAddress),
      pricePerMinute: fieldOf(id, 'pricePerMinute', uint256, pricePerMinute),
      ...(chainId === undefined ? {} : { chainId: chainId as number }),
    }
  })
  if (new Set(environments.map(({ id }) => id)).size < environments.length) throw new Error('must not use an id twice')
  return environments
}

/** Parses a field of a list entry. Its error names entry and field. */
function fieldOf<T>(id: string, field: string, parse: (raw: string) => T, value: unknown): T {
  try {
    return parse(String(value))
  } catch (error) {
    throw new Error(`${field} of ${id} ${(error as Error).message}`)
  }
}
