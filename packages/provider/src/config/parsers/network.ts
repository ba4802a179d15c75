import { isIP } from 'node:net'
import { hostUrls, parseServer } from '@tidegate/database'
import { LAST_PORT } from '@tidegate/protocol/constants'
import ipaddr from 'ipaddr.js'

/** Parses an http(s) URL. The error quotes nothing: RPC URLs often contain an API key. */
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

/** Parses the URL of a public page, without a user. */
export function webPage(raw: string): string {
  const { href, username, password } = httpUrl(raw.trim())
  if (username || password) throw new Error('must not hold a user')
  return href
}

/** Parses an e-mail address, or the URL of a public page. */
export function contact(raw: string): string {
  const text = raw.trim()
  if (/^[^\s@<>"]{1,64}@[^\s@<>"]{1,190}$/.test(text)) return text
  try {
    return webPage(text)
  } catch {
    throw new Error('must be an e-mail address or an http(s) URL')
  }
}

/** Parses one or more http(s) URLs, separated by commas or spaces. */
export function httpUrls(raw: string): URL[] {
  return raw
    .trim()
    .split(/[\s,]+/)
    .map(httpUrl)
}

/** Parses web origins (scheme, host and port), separated by commas or spaces, into the spelling of browsers. */
export function origins(raw: string): string[] {
  return httpUrls(raw).map((url) => {
    if (url.pathname !== '/' || url.search || url.hash || url.username || url.password)
      throw new Error('must hold origins alone: scheme, host and port, without a path')
    return url.origin
  })
}

/** Parses comma-separated IP addresses and networks (CIDR), in full: parts of the service read short or octal forms differently. */
export function networks(raw: string): string[] {
  return raw.split(',').map((part) => {
    const text = part.trim()
    const [address = '', prefix] = text.split('/', 2)
    const isWhole = isIP(address) !== 0 && (prefix === undefined || ipaddr.isValidCIDR(text))
    if (!isWhole) throw new Error('must hold IP addresses or networks alone')
    return text
  })
}

/** Parses the addresses of proxies like `networks`. All addresses are none: then every client could name any as its own. */
export function proxies(raw: string): string[] {
  const parsed = networks(raw)
  if (parsed.some((one) => /\/0+$/.test(one)))
    throw new Error('must not hold a network of all addresses (/0): name your proxies')
  return parsed
}

/** Validates a PostgreSQL URL, which may name several hosts. The error quotes nothing: the URL contains a password. */
export function postgresUrl(raw: string): string {
  // a # is probably part of the password, but would begin a fragment
  const isValid = (url: string) => {
    try {
      const { protocol, hash } = parseServer(url)
      return /^postgres(ql)?:$/.test(protocol) && hash === ''
    } catch {
      return false
    }
  }
  if (!hostUrls(raw).every(isValid))
    throw new Error('must be a postgres:// URL, with # @ / ? % of user and password written as %23 %40 %2F %3F %25')
  return raw
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
    if (!match || last > LAST_PORT || first > last)
      throw new Error('must hold ports such as 443 or ranges such as 8000-8999')
    return [first, last]
  })
}
