import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { plainLine } from '../format/hostile.js'
import { config } from '../state/config.js'
import { isLost } from '../state/page/focus.js'
import { text } from '../text.js'

interface PageProps {
  /** For the window and for screen readers. */
  title: string
  children: ComponentChildren
  /** Content beside the heading. */
  heading?: ComponentChildren
  lead?: string
  /** Whether the page draws its own heading, an h1 with the class "page-heading". */
  own?: boolean
}

/** The path of the last page. */
let shown: string | undefined

/** A page. A new page gets the focus, as the start for keyboard and screen reader. */
export function Page({ title, children, heading, lead, own = false }: PageProps) {
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    const { pathname } = location
    // the browser itself starts at the top when the page is opened
    const moved = shown !== undefined && shown !== pathname
    shown = pathname
    if (moved) scrollTo({ top: 0, behavior: 'instant' })
    if (moved || isLost()) main.current?.focus({ preventScroll: true })
  }, [])
  useEffect(() => {
    document.title = text.title(plainLine(title, 80), config().operator?.name ?? text.product)
  }, [title])
  return (
    <main id="content" class="page" ref={main} tabIndex={-1} aria-label={plainLine(title, 80)}>
      {!own && (
        <header class="page-head">
          <div>
            <h1>{title}</h1>
            {lead && <p class="muted">{lead}</p>}
          </div>
          {heading}
        </header>
      )}
      {children}
    </main>
  )
}
