import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { reloadWhenReachable } from '../state/page/reload.js'
import { text } from '../text.js'
import { Failed, Skeleton } from './states.js'

/** Returns a component that loads its code when it is first shown. A part of a page shows nothing until then. */
export function lazily<P extends object>(
  load: () => Promise<ComponentType<P>>,
  { isPart = false } = {},
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  return function Lazily(props: P) {
    const [, setLoaded] = useState(loaded !== undefined)
    const [error, setError] = useState<unknown>()
    useEffect(() => {
      if (loaded) return
      load().then((component) => {
        loaded = component
        setLoaded(true)
      }, setError)
    }, [])
    useEffect(() => (error === undefined ? undefined : reloadWhenReachable()), [error])
    if (loaded) {
      const Component = loaded
      return <Component {...props} />
    }
    if (isPart) return null
    if (error !== undefined)
      return (
        <main id="content" class="page">
          <Failed alone title={text.partMissing} error={error} onRetry={() => location.reload()} />
        </main>
      )
    return (
      <main id="content" class="page" aria-busy="true">
        <Skeleton lines={6} block />
      </main>
    )
  }
}
