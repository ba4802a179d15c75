import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useRetryOnReturn } from './page/online.js'

/** A requested value, and whether a request is running. */
export interface Resource<T> {
  value: T | undefined
  error: unknown
  loading: boolean
  /** Requests it again. */
  reload(): void
}

interface Answer<T> {
  key: string
  value?: T
  error?: unknown
  settled: boolean
}

/**
 * Requests a value when its key changes, and again when the network returns after a failure. Aborts the request of an
 * earlier key. With `keep`, the last key's value stays until the new one has loaded.
 */
export function useResource<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { keep = false }: { keep?: boolean } = {},
): Resource<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ key, settled: false })
  const [turn, setTurn] = useState(0)
  const latest = useRef(load)
  latest.current = load
  const reload = useCallback(() => setTurn((before) => before + 1), [])
  useRetryOnReturn(answer.error !== undefined, reload)
  // the key identifies the value, and `turn` the request; starts before the paint, which takes a frame
  useLayoutEffect(() => {
    const controller = new AbortController()
    setAnswer((before) => ({
      key,
      settled: false,
      ...(keep || before.key === key ? { value: before.value as T } : {}),
    }))
    latest.current(controller.signal).then(
      (value) => !controller.signal.aborted && setAnswer({ key, value, settled: true }),
      (error) => {
        if (controller.signal.aborted) return
        setAnswer((before) => ({
          key,
          error,
          settled: true,
          ...(before.key === key ? { value: before.value as T } : {}),
        }))
      },
    )
    return () => controller.abort(new DOMException('Not wanted any more.', 'AbortError'))
  }, [key, turn])
  const own = answer.key === key || keep
  return {
    value: own ? answer.value : undefined,
    error: answer.key === key ? answer.error : undefined,
    loading: answer.key !== key || !answer.settled,
    reload,
  }
}
