import { useState } from 'preact/hooks'
import { plainLine } from '../../format/hostile.js'
import { Icon } from '../../icons/icon.js'
import { Button } from '../../parts/button.js'
import { Choice } from '../../parts/fields/field.js'
import { lazily } from '../../parts/lazily.js'
import { type CatalogueQuery, isFiltered, SORTS, type Sort, searchOf, UNFILTERED } from '../../state/catalogue-query.js'
import { type Facet, facetsOf } from '../../state/facets.js'
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
        {CHOICES.map((name) => (
          <FacetSelect
            key={name}
            name={name}
            value={query[name]}
            facets={facets?.[name] ?? []}
            onSelect={(value) => show({ [name]: value })}
          />
        ))}
        <Select
          label={words.size}
          value={query.size}
          options={[['', words.anySize], ...Object.entries(words.sizes)]}
          onSelect={(size) => show({ size: size as CatalogueQuery['size'] })}
        />
        <TagFilter chosen={query.tags} facets={facets?.tags ?? []} onChange={(tags) => show({ tags })} />
        {isFiltered(query) && (
          <Button kind="quiet" size="small" icon="close" onClick={() => show(UNFILTERED)}>
            {words.reset}
          </Button>
        )}
      </div>
    </aside>
  )
}

const CHOICES = ['type', 'format', 'license'] as const

interface FacetProps {
  name: (typeof CHOICES)[number]
  value: string
  facets: readonly Facet[]
  onSelect: (value: string) => void
}

/** A filter of one value. Shows nothing if the matches have none. */
function FacetSelect({ name, value, facets, onSelect }: FacetProps) {
  const { catalogue: words } = text
  const counts = new Map([
    ...(value ? [[value, 0] as const] : []),
    ...facets.map((one) => [one.value, one.count] as const),
  ])
  if (counts.size === 0 && name !== 'type') return null
  return (
    <Select
      label={words[name]}
      value={value}
      options={[
        ['', words.all[name]],
        ...[...counts].map(([one, count]): [string, string] => [one, words.counted(plainLine(one, 60), count)]),
      ]}
      onSelect={onSelect}
    />
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
