/** The parsed URL of a PostgreSQL database. */
export interface PostgresAddress {
  url: URL
  user: string
  /** Empty if there is none. */
  password: string
  database: string
  tls: boolean
}

/** The supported modes, with TLS or without. TLS always verifies certificate and host name. */
const TLS_MODES: Readonly<Record<string, boolean>> = {
  disable: false,
  require: true,
  'verify-ca': true,
  'verify-full': true,
}

/** Returns the problem of a database URL, as a predicate without any part of the URL; undefined if it is valid. */
export function addressProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be a postgres URL'
  const { protocol, hostname, username, password, pathname, searchParams, hash } = new URL(text)
  if (!/^postgres(?:ql)?:$/.test(protocol)) return 'must be a postgres URL'
  if (hostname === '' || username === '' || pathname.length < 2)
    return 'must be a postgres URL with user, host and database'
  const parts = [username, password, pathname].map(uriDecoded)
  if (parts.some((part) => part === undefined || part.includes('\0')))
    return 'must hold user, password and database percent-encoded as UTF-8, without NUL'
  const names = [...searchParams.keys()]
  if (hash !== '' || names.length > 1 || names.some((name) => name !== 'sslmode'))
    return 'must have no parameter but one sslmode'
  if (!Object.hasOwn(TLS_MODES, searchParams.get('sslmode') ?? 'disable'))
    return 'must have an sslmode of disable, require, verify-ca or verify-full (others may fall back to plaintext)'
  return undefined
}

/** Parses a URL that passed addressProblem. */
export function postgresAddress(text: string): PostgresAddress {
  const url = new URL(text)
  return {
    url,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    tls: TLS_MODES[url.searchParams.get('sslmode') ?? 'disable'] === true,
  }
}

/** Decodes percent-encoded UTF-8; undefined if it is invalid. */
function uriDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
