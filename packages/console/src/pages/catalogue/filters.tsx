import { useState } from 'preact/hooks'
import { Icon } from '../../icons/icon.js'
import { Button } from '../../parts/button.js'
import { Choice } from '../../parts/fields/field.js'
import { lazily } from '../../parts/lazily.js'
import { type CatalogueQuery, isFiltered, SORTS, type Sort, searchOf, UNFILTERED } from '../../state/catalogue-query.js'
import { facetsOf } from '../../state/facets.js'
import { useResource } from '../../state/resource.js'
import { text } from '../../text.js'
import { Select } from './select.js'
import { TagFilter } from './tag-filter.js'

export interface FiltersProps {
  query: CatalogueQuery
  /** `replace`: without a new entry in the history. */
  show: (changes: Partial<CatalogueQuery>, replace?: boolean) => void
}

const TokenFilter = lazily(() => import('./token-filter.js').then(({ TokenFilter }) => TokenFilter), { isPart: true })

/** Sorting and filters of the catalogue, folded away on a small screen. */
export function Filters({ query, show }: FiltersProps) {
  const [open, setOpen] = useState(false)
  // sorting and paging change no match
  const key = searchOf({ ...query, sort: undefined, page: 1 })
  const { value: facets } = useResource(key, (signal) => facetsOf(query, signal), { keep: true })
  const { catalogue: words } = text
  const types = new Map([
    ...(query.type ? [[query.type, 0] as const] : []),
    ...(facets?.types ?? []).map(({ value, count }) => [value, count] as const),
  ])
  return (
    <aside class={open ? 'filters open' : 'filters'} aria-label={words.filters}>
      <button
        type="button"
        class="button quiet normal filters-toggle"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name="filter" />
        <span>{words.showFilters}</span>
      </button>
      <div class="filters-body">
        <SortSelect query={query} show={show} />
        <Choice
          compact
          label={words.price}
          name="price"
          value={query.price}
          options={[
            { value: 'any', label: words.any },
            { value: 'free', label: words.free },
            { value: 'paid', label: words.paid },
          ]}
          onChange={(price) => show(price === 'paid' ? { price } : { price, token: '', most: '' })}
        />
        {query.price === 'paid' && <TokenFilter query={query} show={show} />}
        <Select
          label={words.type}
          value={query.type}
          options={[
            ['', words.allTypes],
            ...[...types].map(([type, count]): [string, string] => [type, words.counted(type, count)]),
          ]}
          onSelect={(type) => show({ type })}
        />
        <TagFilter chosen={query.tags} facets={facets?.tags ?? []} onChange={(tags) => show({ tags })} />
        {isFiltered(query) && (
          <Button kind="quiet" size="small" icon="close" onClick={() => show({ ...UNFILTERED, tags: [] })}>
            {words.reset}
          </Button>
        )}
      </div>
    </aside>
  )
}

function SortSelect({ query, show }: FiltersProps) {
  const { catalogue: words } = text
  const hasText = query.text.trim() !== ''
  const sorts = SORTS.filter((sort) => sort !== 'relevance' || hasText)
  return (
    <Select
      label={words.sort}
      value={query.sort ?? (hasText ? 'relevance' : 'newest')}
      options={sorts.map((sort) => [sort, words.sorts[sort]])}
      onSelect={(sort) => show({ sort: sort as Sort })}
    />
  )
}
