import { afterAll, beforeAll } from 'vitest'

/** Limits that may be changed, though they are constants elsewhere. */
type Changeable<T> = {
  -readonly [K in keyof T]: T[K] extends number
    ? number
    : T[K] extends readonly (infer One)[]
      ? Changeable<One>[]
      : Changeable<T[K]>
}

/** Changes limits of a package for the tests of a file, and restores them afterwards: the next file runs in the same process. */
export function withLimits<T extends object>(limits: T, change: (limits: Changeable<T>) => void): void {
  const before = structuredClone(limits)
  beforeAll(() => change(limits as Changeable<T>))
  afterAll(() => restore(limits, before))
}

function restore(limits: object, before: object): void {
  for (const [name, value] of Object.entries(before)) {
    if (typeof value === 'object' && !Array.isArray(value))
      restore((limits as Record<string, object>)[name] as object, value)
    else Object.assign(limits, { [name]: value })
  }
}
