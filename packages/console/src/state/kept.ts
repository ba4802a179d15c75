/** Storage of this browser: small JSON values by name. If it is blocked, nothing is stored. */
const PREFIX = 'tidegate.'

/** Reads a value that an earlier version or a stranger may have written: `read` validates it, or throws. */
export function kept<T>(name: string, read: (value: unknown) => T, otherwise: T): T {
  try {
    const text = localStorage.getItem(PREFIX + name)
    return text === null ? otherwise : read(JSON.parse(text))
  } catch {
    return otherwise
  }
}

/** Stores a value; undefined removes it. Returns whether it is stored. */
export function keep(name: string, value: unknown): boolean {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name)
    else localStorage.setItem(PREFIX + name, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

/** Listens to changes of another tab. */
export function onKept(name: string, heard: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === null || key === PREFIX + name) heard()
  })
}
