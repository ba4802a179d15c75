/** Returns the URL of each server of a URL with several hosts (`postgres://user@a:5432,b/name`), in their order. */
export function hostUrls(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  return hosts.split(',').map((host) => before + host + after)
}

/**
 * Parses the URL of one server. A user without a host (`postgres://user@/name?host=/cloudsql/instance`), as clients of
 * PostgreSQL accept for a socket, is no URL of the WHATWG. Throws TypeError.
 */
export function parseServer(url: string): URL {
  return new URL(url.replace(/^(\w+:\/\/[^/?#]*@)\//, '$1localhost/'))
}

/** Returns the parts of a PostgreSQL URL that are no secret; `host` names all hosts. Throws TypeError. */
export function publicParts(url: string): { user: string; host: string; pathname: string } {
  const urls = hostUrls(url).map(parseServer)
  const { username = '', pathname = '' } = urls[0] ?? {}
  const hosts = urls.map(({ host, searchParams }) => searchParams.get('host') ?? host)
  return { user: decodeURIComponent(username), host: hosts.join(','), pathname }
}

/** Parameters of a URL that concern the connection. Makers document others, which are for their own clients. */
const CONNECTION_PARAMETERS = new Set([
  ...['user', 'password', 'host', 'port', 'options'],
  ...['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation', 'uselibpqcompat'],
])

/**
 * Returns a URL with parameters of the connection alone. The client would take any other one, such as
 * `statement_timeout`, as its own setting, or send it in the start, which poolers refuse.
 */
export function connectionUrl(url: string): string {
  const [address = '', query = ''] = url.split(/\?(.*)/s)
  const kept = [...new URLSearchParams(query)].filter(([name]) => CONNECTION_PARAMETERS.has(name))
  // the certificates of the system are the default of this client, and no file
  const parameters = kept.map(([name, value]) =>
    name === 'sslrootcert' && value === 'system' ? ['ssl', 'true'] : [name, value],
  )
  return parameters.length === 0 ? address : `${address}?${new URLSearchParams(parameters)}`
}
