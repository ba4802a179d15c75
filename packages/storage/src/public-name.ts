import { safeName } from './safe-name.js'

/**
 * Returns a public name as a path that every system can create. Each part is a safe name; a hidden file keeps its dot, and
 * parts that leave nothing are dropped. Empty if nothing is left.
 */
export function safePath(name: string): string {
  const parts = name.split('/').map((part) => {
    const safe = safeName(part)
    return safe !== '' && /^\.[^.\s]/.test(part) ? `.${safe}` : safe
  })
  return parts.filter((part) => part !== '').join('/')
}
