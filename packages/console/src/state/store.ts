import { useEffect, useState } from 'preact/hooks'

/** A shared value that notifies its subscribers. */
export interface Store<T> {
  get(): T
  set(next: T | ((now: T) => T)): void
  /** Returns a function that ends the subscription. */
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

/** Returns the value of a store, and redraws the component when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.get)
  useEffect(() => {
    const heard = () => setValue(() => store.get())
    // a change between drawing and subscribing
    heard()
    return store.subscribe(heard)
  }, [store])
  return value
}
