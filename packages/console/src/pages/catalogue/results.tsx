import type { SearchResult } from '@tidegate/client'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Icon } from '../../icons/icon.js'
import { Button, ButtonLink } from '../../parts/button.js'
import { Empty, Failed, Skeleton } from '../../parts/states.js'
import { type CatalogueQuery, isFiltered, PAGE_SIZE, searchOf, UNFILTERED } from '../../state/catalogue-query.js'
import { pathOf } from '../../state/page/route.js'
import type { Resource } from '../../state/resource.js'
import { text } from '../../text.js'
import { AssetCard } from './card.js'

interface ResultsProps {
  found: Resource<SearchResult>
  query: CatalogueQuery
  show: (changes: Partial<CatalogueQuery>) => void
}

export function Results({ found, query, show }: ResultsProps) {
  const { value, error, loading, reload } = found
  const { catalogue: words } = text
  const { heading, turn } = useTurning(loading)
  // unchanged during typing, until the next response: comparing all cards again costs a frame
  const cards = useMemo(() => value && <Cards assets={value.assets} />, [value])
  if (error !== undefined) return <Failed title={words.failed} error={error} onRetry={reload} />
  if (!value)
    return (
      <section class="results" aria-busy="true" aria-label={words.searching}>
        <div class="cards">
          {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
            <div key={key} class="card">
              <Skeleton lines={4} />
            </div>
          ))}
        </div>
      </section>
    )
  if (value.assets.length === 0 && !loading)
    return isFiltered(query) || query.page > 1 ? (
      <Empty picture="search" title={words.empty} hint={words.emptyHint}>
        {/* a wide page has it beside its filters */}
        <div class={isFiltered(query) ? 'narrow-only' : ''}>
          <Button onClick={() => show(UNFILTERED)}>{words.reset}</Button>
        </div>
      </Empty>
    ) : (
      <Empty picture="empty" title={words.nothing} hint={words.nothingHint}>
        <ButtonLink kind="primary" icon="upload" href={pathOf({ page: 'publish' })}>
          {text.nav.publish}
        </ButtonLink>
      </Empty>
    )
  return (
    <section class={loading ? 'results stale' : 'results'} aria-busy={loading} aria-label={words.title}>
      <h2 ref={heading} tabIndex={-1} class="results-count muted small">
        {words.results(value.total, value.atLeast)}
      </h2>
      {cards}
      <Pager
        value={value}
        page={query.page}
        to={(page) => pathOf({ page: 'catalogue' }) + searchOf({ ...query, page })}
        onTurn={turn}
      />
    </section>
  )
}

/** Returns the heading that gets the focus after a requested page has loaded, and what requests one. */
export function useTurning(loading: boolean) {
  const heading = useRef<HTMLHeadingElement>(null)
  const turned = useRef(false)
  useEffect(() => {
    if (!turned.current || loading) return
    turned.current = false
    heading.current?.scrollIntoView({ block: 'start', behavior: 'instant' })
    heading.current?.focus({ preventScroll: true })
  }, [loading])
  const turn = () => {
    turned.current = true
  }
  return { heading, turn }
}

export function Cards({ assets }: Pick<SearchResult, 'assets'>) {
  return (
    <ul class="cards">
      {assets.map((asset) => (
        <li key={asset.did}>
          <AssetCard asset={asset} />
        </li>
      ))}
    </ul>
  )
}

interface PagerProps {
  value: SearchResult
  page: number
  /** Returns the address of a page. */
  to: (page: number) => string
  onTurn: () => void
}

export function Pager({ value: { total, more, atLeast }, page, to, onTurn }: PagerProps) {
  if (page === 1 && !more) return null
  const last = atLeast ? undefined : Math.max(page, Math.ceil(total / PAGE_SIZE))
  return (
    <nav class="pager" aria-label={text.catalogue.pages}>
      {page > 1 ? (
        <a class="button secondary normal" href={to(page - 1)} rel="prev" onClick={onTurn}>
          <Icon name="left" />
          <span>{text.catalogue.previous}</span>
        </a>
      ) : (
        <span />
      )}
      <span class="muted small">{text.catalogue.page(page, last)}</span>
      {more ? (
        <a class="button secondary normal" href={to(page + 1)} rel="next" onClick={onTurn}>
          <span>{text.catalogue.next}</span>
          <Icon name="right" />
        </a>
      ) : (
        <span />
      )}
    </nav>
  )
}
