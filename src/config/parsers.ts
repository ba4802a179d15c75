import ipaddr from 'ipaddr.js'
import { type Address, getAddress, isAddress } from 'viem'
import { type ProviderKey, providerKey } from '../crypto/keys.js'

/** A value for every chain, or different ones by chain id. */
export interface PerChain<T> {
  all?: T
  byChain: Map<number, T>
}

/** The value for one chain, if there is any. */
export function forChain<T>(values: PerChain<T> | undefined, chainId: number): T | undefined {
  return values?.byChain.get(chainId) ?? values?.all
}

export function text(raw: string): string {
  return raw
}

/** Paths, separated by commas. */
export function paths(raw: string): string[] {
  return raw.split(',').map((part) => part.trim())
}

export function boolean(raw: string): boolean {
  if (/^(1|true|yes|on)$/i.test(raw)) return true
  if (/^(0|false|no|off)$/i.test(raw)) return false
  throw new Error('must be true or false')
}

export function integer(min: number, max: number): (raw: string) => number {
  return (raw) => {
    const value = Number(raw)
    if (!/^\d+$/.test(raw) || value < min || value > max)
      throw new Error(`must be a whole number from ${min} to ${max}`)
    return value
  }
}

export function uint256(raw: string): bigint {
  if (!/^\d{1,78}$/.test(raw) || BigInt(raw) >= 1n << 256n) throw new Error('must be a whole number below 2^256')
  return BigInt(raw)
}

export function oneOf<T extends string>(...values: T[]): (raw: string) => T {
  return (raw) => {
    const found = values.find((value) => value === raw.toLowerCase())
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`)
    return found
  }
}

export function address(raw: string): Address {
  if (!isAddress(raw, { strict: false })) throw new Error('must be an address (0x and 40 hex digits)')
  return getAddress(raw)
}

/** An http(s) URL. The message never quotes it: RPC URLs often hold an API key. */
export function httpUrl(raw: string): URL {
  if (!URL.canParse(raw) || !/^https?:$/.test(new URL(raw).protocol)) throw new Error('must be an http(s) URL')
  return new URL(raw)
}

/** One or more http(s) URLs, separated by commas or spaces. */
export function httpUrls(raw: string): URL[] {
  return raw
    .trim()
    .split(/[\s,]+/)
    .map(httpUrl)
}

/** Addresses and networks (CIDR), separated by commas. */
export function networks(raw: string): string[] {
  return raw.split(',').map((part) => {
    const text = part.trim()
    if (!ipaddr.isValid(text) && !ipaddr.isValidCIDR(text)) throw new Error('must hold IP addresses or networks alone')
    return text
  })
}

/** A PostgreSQL URL. The message never quotes it: it holds a password. */
export function postgresUrl(raw: string): string {
  if (!URL.canParse(raw) || !/^postgres(ql)?:$/.test(new URL(raw).protocol))
    throw new Error('must be a postgres:// URL')
  return raw
}

/** Levels of the log, those of the legacy service included. */
export function logLevel(raw: string): string {
  const legacy: Record<string, string> = { critical: 'fatal', warning: 'warn', notset: 'trace' }
  const level = raw.toLowerCase()
  return oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')(legacy[level] ?? level)
}

/** Private keys, separated by commas. */
export function privateKeys(raw: string): ProviderKey[] {
  return raw.split(',').map((part) => providerKey(part))
}

export function privateKey(raw: string): ProviderKey {
  return providerKey(raw)
}

/** One value for all chains, or a JSON object from decimal chain id to value. */
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

function parseObject(raw: string): object {
  try {
    return JSON.parse(raw) as object
  } catch {
    throw new Error('is not valid JSON') // the parser's own message quotes the text, which may be a key
  }
}

/** Text that is never shown, of a least length. */
export function secretText(least: number): (raw: string) => string {
  return (raw) => {
    if (raw.length < least) throw new Error(`must have at least ${least} characters`)
    return raw
  }
}

/** Addresses as a JSON list, or separated by commas. */
export function addressList(raw: string): Address[] {
  const values = raw.trimStart().startsWith('[') ? parseObject(raw) : raw.split(',').map((part) => part.trim())
  return (values as unknown[]).map((value) => address(String(value)))
}

/** A compute environment that orders may be quoted for. */
export interface ComputeEnvironment {
  id: string
  /** The account that fetches files for it, told to consumers as computeAddress. */
  consumerAddress: Address
  /** In the smallest unit of the chain's fee token. */
  pricePerMinute: bigint
  /** The one chain that it serves; all when not given. */
  chainId?: number
}

export function computeEnvironments(raw: string): ComputeEnvironment[] {
  const list = parseObject(raw)
  if (!Array.isArray(list)) throw new Error('must be a JSON list')
  const environments = list.map((entry: Record<string, unknown> | null) => {
    const { id, consumerAddress, pricePerMinute = '0', chainId } = entry ?? {}
    if (typeof id !== 'string' || id === '') throw new Error('must have an id in every entry')
    if (chainId !== undefined && !Number.isSafeInteger(chainId))
      throw new Error(`has a chainId that is no number in ${id}`)
    return {
      id,
      consumerAddress: address(String(consumerAddress)),
      pricePerMinute: uint256(String(pricePerMinute)),
      ...(chainId === undefined ? {} : { chainId: chainId as number }),
    }
  })
  if (new Set(environments.map(({ id }) => id)).size < environments.length) throw new Error('must not use an id twice')
  return environments
}

/** Base URLs, separated by commas, without trailing slashes. */
export function baseUrls(raw: string): string[] {
  return httpUrls(raw).map(({ href }) => href.replace(/\/+$/, ''))
}

/** Base URLs of gateways, separated by commas, without trailing slashes and without the path /ipfs that some carry. */
export function gateways(raw: string): string[] {
  const urls = raw.split(',').map((part) => part.trim())
  return urls.map((url) =>
    httpUrl(url)
      .href.replace(/\/+$/, '')
      .replace(/\/ipfs$/, ''),
  )
}

/** Host names in lower case, separated by commas; a leading `*.` stands for every name below. */
export function hostList(raw: string): string[] {
  return raw.split(',').map((part) => {
    const host = part.trim().toLowerCase()
    if (!/^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(host)) throw new Error('must hold host names alone')
    return host
  })
}

/** Ports and ranges of ports, separated by commas. */
export function portRanges(raw: string): [first: number, last: number][] {
  return raw.split(',').map((part) => {
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part.trim())
    const [first, last] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])]
    if (!match || last > 65535 || first > last)
      throw new Error('must hold ports such as 443 or ranges such as 8000-8999')
    return [first, last]
  })
}
