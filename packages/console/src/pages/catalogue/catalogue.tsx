import { type SearchResult, search } from '@tidegate/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { CONSOLE_LIMITS } from '../../limits.js'
import { Page } from '../../parts/page.js'
import { type CatalogueQuery, isFiltered, optionsOf, queryOf, searchOf } from '../../state/catalogue-query.js'
import { reading } from '../../state/context.js'
import { announce } from '../../state/page/announce.js'
import { navigate, pathOf, place } from '../../state/page/route.js'
import { type Resource, useResource } from '../../state/resource.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import { Filters } from './filters.js'
import { Results } from './results.js'
import { SearchBox } from './search-box.js'

/** Retries for prices that the provider's node was too slow to read. */
const RETRIES = 2

/** The catalogue. The address holds the query. */
export function Catalogue() {
  const { search: address } = useStore(place)
  const query = queryOf(address)
  const [typed, setTyped] = useState(query.text)
  /** The last query in the address: the typed text may be newer. */
  const sent = useRef(query.text)
  const show = (changes: Partial<CatalogueQuery>, replace = false) => {
    const next = { ...query, page: 1, ...changes }
    navigate(pathOf({ page: 'catalogue' }) + searchOf(next), { replace })
  }
  const lookFor = (text: string, replace: boolean) => {
    sent.current = text
    show({ text }, replace)
  }
  // each letter starts a search, aborts the last one, and adds no entry to the history
  const change = (text: string) => {
    setTyped(text)
    if (text.trim() !== sent.current.trim()) lookFor(text, query.text !== '')
  }
  // back, forward, and links to a search
  useEffect(() => {
    if (query.text.trim() === sent.current.trim()) return
    sent.current = query.text
    setTyped(query.text)
  }, [query.text])
  const key = searchOf(query)
  const found = useResource(key, (signal) => search(reading(), { ...optionsOf(query), signal }), { keep: true })
  const { value, loading } = found
  useEffect(() => {
    if (!loading && value && isFiltered(query)) announce(text.catalogue.results(value.total, value.atLeast))
  }, [loading, value])
  useMissingPrices(key, found)
  const plain = !isFiltered(query)
  return (
    <Page title={text.catalogue.title} own>
      <section class={plain ? 'hero' : 'hero slim'}>
        <div class="hero-words">
          <h1>{plain ? text.catalogue.heading : text.catalogue.title}</h1>
          {plain && <p>{text.catalogue.lead}</p>}
        </div>
        <SearchBox value={typed} busy={loading} onChange={change} onSubmit={() => lookFor(typed, false)} />
        <Waves />
      </section>
      <div class="catalogue">
        <Filters query={query} show={show} />
        <Results found={found} query={query} show={show} />
      </div>
    </Page>
  )
}

/** Reloads results without prices: the provider answers a search in time and reads missing prices afterwards. */
export function useMissingPrices(key: string, { value, loading, reload }: Resource<SearchResult>): void {
  const asked = useRef({ key, times: 0 })
  useEffect(() => {
    if (asked.current.key !== key) asked.current = { key, times: 0 }
    const isMissing = value?.assets.some(({ services: [service] }) => service?.price.type === 'unavailable')
    if (loading || !isMissing || asked.current.times >= RETRIES) return
    const timer = setTimeout(() => {
      asked.current.times += 1
      reload()
    }, CONSOLE_LIMITS.catalogue.retry)
    return () => clearTimeout(timer)
  }, [key, value, loading])
}

function Waves() {
  return (
    <svg class="waves" viewBox="0 0 1200 60" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path d="M0 30c100-24 200-24 300 0s200 24 300 0 200-24 300 0 200 24 300 0v30H0z" />
      <path d="M0 42c100-20 200-20 300 0s200 20 300 0 200-20 300 0 200 20 300 0v18H0z" />
    </svg>
  )
}
