import { SETTINGS, type Setting, type Settings } from './schema.js'

/**
 * Returns the settings in force as NAME=value lines for `--config`. Hidden values are in comments: secrets, and URLs
 * whose paths or user names may contain keys.
 */
export function formatSettings(settings: Settings): string[] {
  return Object.entries(SETTINGS as Record<string, Setting<unknown>>).map(([name, { secret }]) => {
    const value = (settings as Record<string, unknown>)[name]
    if (value === undefined) return `# ${name} is not set`
    if (secret) return `# ${name} is set, and not shown`
    const text = formatValue(value)
    return text.includes('/…') ? `# ${name}=${text}` : `${name}=${quoted(text)}`
  })
}

/** Quotes a value that the parser of settings files would change. */
function quoted(text: string): string {
  if (!/[\s#"'`\\]/.test(text)) return text
  return text.includes("'") ? `\`${text}\`` : `'${text}'`
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return URL.canParse(value) ? hostOf(value) : value
  if (value instanceof URL) return hostOf(value.href)
  if (typeof value !== 'object' || value === null) return String(value)
  if (isRange(value)) return value[0] === value[1] ? String(value[0]) : value.join('-')
  if (Array.isArray(value) && value.every((part) => typeof part !== 'object' || isRange(part) || part instanceof URL))
    return value.map(formatValue).join(',')
  if (value instanceof Map) return formatValue({ byChain: value })
  const { all, byChain } = value as { all?: unknown; byChain?: Map<number, unknown> }
  if (byChain instanceof Map && all === undefined)
    return JSON.stringify(Object.fromEntries([...byChain].map(([chain, entry]) => [chain, formatValue(entry)])))
  if (byChain instanceof Map) return formatValue(all)
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part))
}

/** Whether a value is a range of ports. */
function isRange(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'number')
}

/** Reduces an http(s) or postgres URL to its host; returns anything else unchanged. */
function hostOf(text: string): string {
  const { protocol, host, pathname, search, username } = new URL(text)
  if (!/^(https?|postgres(ql)?):$/.test(protocol)) return text
  return `${protocol}//${host}${pathname.length > 1 || search || username ? '/…' : ''}`
}
