import { STORAGE_LIMITS } from '../limits.js'
import { trimmed } from './blanks.js'
import type { RequestUrl } from './request-url.js'

interface Cookie {
  origin: string
  name: string
  value: string
  path: string
}

const { count, size, total } = STORAGE_LIMITS.files.cookies

/**
 * The cookies of one chain of redirects (RFC 6265). A cookie is sent only to the origin that has set it, whatever its Domain
 * says. No cookie outlives the chain.
 */
export class ChainCookies {
  private cookies: Cookie[] = []

  /** Stores the cookies of a response. Ignores invalid ones and those beyond the limits. */
  store(setCookie: string | string[] | undefined, from: RequestUrl): void {
    for (const line of [setCookie ?? []].flat()) {
      const { cookie, expired } = parsedCookie(line, from) ?? {}
      if (!cookie) continue
      this.cookies = this.cookies.filter((other) => !isSame(other, cookie))
      if (!expired && this.hasRoomFor(cookie)) this.cookies.push(cookie)
    }
  }

  /** Returns the Cookie header of a request. Cookies of the chain replace the publisher's of the same name. */
  header(to: RequestUrl, own: string | undefined): string | undefined {
    const matching = this.cookies.filter(({ origin, path }) => origin === to.url.origin && isWithin(pathOf(to), path))
    if (matching.length === 0) return own
    const names = new Set(matching.map(({ name }) => name))
    const kept = (own ?? '').split(';').filter((pair) => trimmed(pair) !== '' && !names.has(nameOf(pair)))
    const chained = matching
      .sort((one, other) => other.path.length - one.path.length)
      .map(({ name, value }) => `${name}=${value}`)
    return [...kept.map(trimmed), ...chained].join('; ')
  }

  private hasRoomFor(cookie: Cookie): boolean {
    const taken = this.cookies.reduce((sum, other) => sum + sizeOf(other), 0)
    return this.cookies.length < count && sizeOf(cookie) <= size && taken + sizeOf(cookie) <= total
  }
}

function parsedCookie(line: string, from: RequestUrl): { cookie: Cookie; expired: boolean } | undefined {
  const [pair = '', ...rest] = line.split(';')
  const name = nameOf(pair)
  const value = trimmed(pair.slice(pair.indexOf('=') + 1))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
  if (!pair.includes('=') || name === '' || /[\u0000-\u001f\u007f]/.test(name + value)) return undefined
  // of attributes with the same name, the last one counts
  const attributes = new Map(rest.map((text) => [nameOf(text).toLowerCase(), attributeValue(text)]))
  const secure = attributes.has('secure') || /^__(?:secure|host)-/i.test(name)
  if (secure && from.url.protocol !== 'https:') return undefined
  if (!isOwnDomain(attributes.get('domain') ?? '', from.url.hostname)) return undefined
  const path = attributes.get('path') ?? ''
  const cookie = { origin: from.url.origin, name, value, path: path.startsWith('/') ? path : defaultPath(from) }
  return { cookie, expired: isExpired(attributes) }
}

function isExpired(attributes: ReadonlyMap<string, string>): boolean {
  const age = attributes.get('max-age')
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0
  return Date.parse(attributes.get('expires') ?? '') <= Date.now()
}

/** Whether a Domain is the host or a parent domain of it. */
function isOwnDomain(domain: string, host: string): boolean {
  const bare = domain.replace(/^\./, '').toLowerCase()
  return bare === '' || host === bare || host.endsWith(`.${bare}`)
}

function defaultPath(from: RequestUrl): string {
  const path = pathOf(from)
  return path.slice(0, Math.max(path.lastIndexOf('/'), 1))
}

function isWithin(path: string, cookiePath: string): boolean {
  return path === cookiePath || path.startsWith(cookiePath.endsWith('/') ? cookiePath : `${cookiePath}/`)
}

function isSame(one: Cookie, other: Cookie): boolean {
  return one.origin === other.origin && one.name === other.name && one.path === other.path
}

function pathOf({ target }: RequestUrl): string {
  return target.replace(/\?.*$/, '')
}

function nameOf(pair: string): string {
  return trimmed(pair.split('=', 1)[0] ?? '')
}

function attributeValue(attribute: string): string {
  return attribute.includes('=') ? trimmed(attribute.slice(attribute.indexOf('=') + 1)) : ''
}

function sizeOf({ name, value, path }: Cookie): number {
  return name.length + value.length + path.length
}
