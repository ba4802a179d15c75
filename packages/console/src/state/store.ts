import { useEffect, useState } from 'preact/hooks'

/** A value that parts of the page share, and hear of when it changes. */
export interface Store<T> {
  get(): T
  set(next: T | ((now: T) => T)): void
  /** Answers what ends the subscription. */
  subscribe(heard: () => void): () => void
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      const made = typeof next === 'function' ? (next as (now: T) => T)(value) : next
      if (Object.is(made, value)) return
      value = made
      for (const heard of [...listeners]) heard()
    },
    subscribe(heard) {
      listeners.add(heard)
      return () => listeners.delete(heard)
    },
  }
}

/** The value of a store; the component is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.get)
  useEffect(() => {
    const heard = () => setValue(() => store.get())
    // what has changed between drawing and subscribing
    heard()
    return store.subscribe(heard)
  }, [store])
  return value
}
