/** Returns the URL of each server of a URL with several hosts (`postgres://user@a:5432,b/name`), in their order. */
export function hostUrls(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  return hosts.split(',').map((host) => before + host + after)
}

/** Returns the parts of a PostgreSQL URL that are no secret; `host` names all hosts. Throws TypeError. */
export function publicParts(url: string): { user: string; host: string; pathname: string } {
  const urls = hostUrls(url).map((each) => new URL(each))
  const { username = '', pathname = '' } = urls[0] ?? {}
  return { user: decodeURIComponent(username), host: urls.map(({ host }) => host).join(','), pathname }
}
