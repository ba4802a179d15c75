import { SETTINGS, type Setting, type Settings } from './schema.js'

/**
 * The settings in force, a line each, as they would be written in the environment. Secrets are not shown, and of URLs
 * only the hosts: paths and user names hold keys.
 */
export function shownSettings(settings: Settings): string[] {
  return Object.entries(SETTINGS as Record<string, Setting<unknown>>).map(([name, { secret }]) => {
    const value = (settings as Record<string, unknown>)[name]
    if (value === undefined) return `# ${name} is not set`
    return `${name}=${secret ? '(not shown)' : shown(value)}`
  })
}

function shown(value: unknown): string {
  if (typeof value === 'string') return URL.canParse(value) ? hostOf(value) : value
  if (value instanceof URL) return hostOf(value.href)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return value.map(shown).join(',')
  const { all, byChain } = value as { all?: unknown; byChain?: Map<number, unknown> }
  if (byChain instanceof Map && all === undefined)
    return JSON.stringify(Object.fromEntries([...byChain].map(([chain, one]) => [chain, shown(one)])))
  if (byChain instanceof Map) return shown(all)
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part))
}

/** http(s) locations without what may be a key; anything else that looks like a URL as it is. */
function hostOf(text: string): string {
  const { protocol, host, pathname, search, username } = new URL(text)
  if (!/^(https?|postgres(ql)?):$/.test(protocol)) return text
  return `${protocol}//${host}${pathname.length > 1 || search || username ? '/…' : ''}`
}
