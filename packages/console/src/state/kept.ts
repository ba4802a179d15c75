/** What this browser keeps of the page: small JSON values, under names of their own. Blocked storage keeps nothing. */
const PREFIX = 'tidegate.'

/** Reads a value that an earlier version, or somebody else, may have written: `read` makes sense of it, or throws. */
export function kept<T>(name: string, read: (value: unknown) => T, otherwise: T): T {
  try {
    const text = localStorage.getItem(PREFIX + name)
    return text === null ? otherwise : read(JSON.parse(text))
  } catch {
    return otherwise
  }
}

/** Keeps a value; undefined removes it. Returns whether it is kept. */
export function keep(name: string, value: unknown): boolean {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name)
    else localStorage.setItem(PREFIX + name, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

/** Hears of what another tab has changed. */
export function onKept(name: string, heard: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === null || key === PREFIX + name) heard()
  })
}
