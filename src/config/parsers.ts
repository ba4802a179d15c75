import ipaddr from 'ipaddr.js'
import type { Address } from 'viem'
import { checksummed, isAddressText } from '../crypto/address.js'
import { type ProviderKey, providerKey } from '../crypto/keys.js'
import { BUCKET_NAME } from '../s3-names.js'

/** One value for all chains, or values by chain id. */
export interface PerChain<T> {
  all?: T
  byChain: Map<number, T>
}

/** Returns the value for a chain, if there is one. */
export function forChain<T>(values: PerChain<T> | undefined, chainId: number): T | undefined {
  return values?.byChain.get(chainId) ?? values?.all
}

export function text(raw: string): string {
  return raw
}

/** Parses comma-separated paths. */
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
  if (!isAddressText(raw)) throw new Error('must be an address (0x and 40 hex digits)')
  return checksummed(raw)
}

/** Parses an http(s) URL. The error never quotes it: RPC URLs often contain an API key. */
export function httpUrl(raw: string): URL {
  if (!URL.canParse(raw) || !/^https?:$/.test(new URL(raw).protocol)) throw new Error('must be an http(s) URL')
  return new URL(raw)
}

/** Parses the public base URL of the service; removes trailing slashes. */
export function publicUrl(raw: string): string {
  const { href, search, hash, username, password } = httpUrl(raw.trim())
  if (search || hash || username || password) throw new Error('must not hold a user, a query or a fragment')
  return href.replace(/\/+$/, '')
}

/** Validates the name of a bucket of an S3-compatible service. */
export function bucket(raw: string): string {
  if (!BUCKET_NAME.test(raw)) throw new Error('must be the name of a bucket')
  return raw
}

export function region(raw: string): string {
  if (!/^[a-z0-9-]{1,64}$/i.test(raw)) throw new Error('must be the name of a region')
  return raw
}

/** Parses the beginning of keys in a bucket; adds the slash at its end. */
export function keyPrefix(raw: string): string {
  if (!/^[\w.-]+(?:\/[\w.-]+)*\/?$/.test(raw) || raw.length > 512 || raw.split('/').some((part) => /^\.+$/.test(part)))
    throw new Error('must be letters, digits, ".", "_" and "-", in parts separated by "/"')
  return raw.endsWith('/') ? raw : `${raw}/`
}

/** Parses one or more http(s) URLs, separated by commas or spaces. */
export function httpUrls(raw: string): URL[] {
  return raw
    .trim()
    .split(/[\s,]+/)
    .map(httpUrl)
}

/** Parses web origins (scheme, host and port), separated by commas or spaces, into the form that browsers send. */
export function origins(raw: string): string[] {
  return httpUrls(raw).map((url) => {
    if (url.pathname !== '/' || url.search || url.hash || url.username || url.password)
      throw new Error('must hold origins alone: scheme, host and port, without a path')
    return url.origin
  })
}

/** Parses nodes that browsers may ask: a JSON object from decimal chain id to one http(s) URL without a user. */
export function publicNodes(raw: string): Map<number, URL> {
  const { byChain, all } = perChain(httpUrl)(raw)
  if (all) throw new Error('must be a JSON object from chain id to a URL')
  for (const [chainId, { host, username, password }] of byChain) {
    if (username || password) throw new Error(`for chain ${chainId} must not hold a user: browsers do not send it`)
    // it becomes part of a header, where other characters that a URL may hold have a meaning
    if (!/^[a-z0-9.:_[\]-]+$/.test(host)) throw new Error(`for chain ${chainId} has a host that is not valid`)
  }
  return byChain
}

/** Parses comma-separated IP addresses and networks (CIDR). */
export function networks(raw: string): string[] {
  return raw.split(',').map((part) => {
    const text = part.trim()
    if (!ipaddr.isValid(text) && !ipaddr.isValidCIDR(text)) throw new Error('must hold IP addresses or networks alone')
    return text
  })
}

/** Validates a PostgreSQL URL. The error never quotes it: it contains a password. */
export function postgresUrl(raw: string): string {
  // a # is not valid in the address: it was probably meant to be part of the password
  if (!URL.canParse(raw) || !/^postgres(ql)?:$/.test(new URL(raw).protocol) || new URL(raw).hash !== '')
    throw new Error('must be a postgres:// URL, with # @ / ? % of user and password written as %23 %40 %2F %3F %25')
  return raw
}

/** Parses a log level; accepts the legacy service's names as well. */
export function logLevel(raw: string): string {
  const legacy: Record<string, string> = { critical: 'fatal', warning: 'warn', notset: 'trace' }
  const level = raw.toLowerCase()
  return oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')(legacy[level] ?? level)
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

/** Parses JSON. Throws an Error that does not quote it. */
export function parseObject(raw: string): object {
  try {
    return JSON.parse(raw) as object
  } catch {
    throw new Error('is not valid JSON') // JSON.parse would quote the text, which may be a key
  }
}

/** Accepts a secret of at least `minLength` characters. */
export function secretText(minLength: number): (raw: string) => string {
  return (raw) => {
    if (raw.length < minLength) throw new Error(`must have at least ${minLength} characters`)
    return raw
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

/** Contracts by chain: a JSON object from decimal chain id to a list of addresses. */
export function addressesByChain(raw: string): PerChain<Address[]> {
  if (!raw.trimStart().startsWith('{')) throw new Error('must be a JSON object from chain id to a list of addresses')
  return perChain(addressList)(raw)
}

/** A compute environment that orders may be quoted for. */
export interface ComputeEnvironment {
  id: string
  /** The account that fetches files for it; consumers see it as computeAddress. */
  consumerAddress: Address
  /** In the smallest unit of the chain's fee token. */
  pricePerMinute: bigint
  /** The only chain that it serves; all chains if undefined. */
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

/** Parses comma-separated base URLs; removes trailing slashes. */
export function baseUrls(raw: string): string[] {
  return httpUrls(raw).map(({ href }) => href.replace(/\/+$/, ''))
}

/** Parses comma-separated base URLs of gateways; removes trailing slashes and a trailing /ipfs. */
export function gateways(raw: string): string[] {
  const urls = raw.split(',').map((part) => part.trim())
  return urls.map((url) =>
    httpUrl(url)
      .href.replace(/\/+$/, '')
      .replace(/\/ipfs$/, ''),
  )
}

/** Parses comma-separated host names to lower case; a leading `*.` matches all subdomains. */
export function hostList(raw: string): string[] {
  return raw.split(',').map((part) => {
    const host = part.trim().toLowerCase()
    if (!/^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(host)) throw new Error('must hold host names alone')
    return host
  })
}

/** Parses comma-separated ports and port ranges. */
export function portRanges(raw: string): [first: number, last: number][] {
  return raw.split(',').map((part) => {
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part.trim())
    const [first, last] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])]
    if (!match || last > 65535 || first > last)
      throw new Error('must hold ports such as 443 or ranges such as 8000-8999')
    return [first, last]
  })
}
