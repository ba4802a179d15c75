import { safeName } from './safe-name.js'

/**
 * Returns a public name as a path that every system can create. Each part is a safe name, and none is hidden: programs read such
 * files as settings. Parts that leave nothing are dropped. Empty if nothing is left.
 */
export function safePath(name: string): string {
  const parts = name.split('/').map(safeName)
  return parts.filter((part) => part !== '').join('/')
}
