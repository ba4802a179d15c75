import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useRetryOnReturn } from './page/online.js'

/** Something that is asked for: what is known of it, and whether an answer is on its way. */
export interface Resource<T> {
  value: T | undefined
  error: unknown
  loading: boolean
  /** Asks again. */
  reload(): void
}

interface Answer<T> {
  key: string
  value?: T
  error?: unknown
  settled: boolean
}

/**
 * Asks for something when its key changes, and again when the network is back after a failure. What is asked for and not
 * wanted any more is aborted. With `keep` the value of the key before stays until the new one is there.
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
  // the key stands for what is loaded, the turn for asking again; asked before it is drawn, which takes a frame
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
