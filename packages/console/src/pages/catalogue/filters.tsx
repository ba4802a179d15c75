import { useState } from 'preact/hooks'
import { Icon } from '../../icons/icon.js'
import { Button } from '../../parts/button.js'
import { Choice } from '../../parts/field.js'
import { Words } from '../../parts/words.js'
import { type CatalogueQuery, isFiltered, SORTS, type Sort } from '../../state/catalogue-query.js'
import { facetsNow } from '../../state/facets.js'
import { useResource } from '../../state/resource.js'
import { text } from '../../text.js'

interface FiltersProps {
  query: CatalogueQuery
  show: (changes: Partial<CatalogueQuery>) => void
}

/** What is shown of the catalogue, and in which order. On a small screen they are folded away. */
export function Filters({ query, show }: FiltersProps) {
  const [open, setOpen] = useState(false)
  const { value: facets } = useResource('facets', facetsNow)
  const { catalogue: words } = text
  const sorts = SORTS.filter((sort) => sort !== 'relevance' || query.text.trim() !== '')
  const sort = query.sort ?? (query.text.trim() ? 'relevance' : 'newest')
  // each stays where it is when it is chosen
  const known = facets?.tags ?? []
  const others = query.tags.filter((tag) => !known.some(({ value }) => value === tag))
  const tags = [...others.map((value) => ({ value, count: 0 })), ...known]
  const types = new Set([...(query.type ? [query.type] : []), ...(facets?.types ?? []).map(({ value }) => value)])
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
        <label class="field">
          <span>{words.sort}</span>
          <select value={sort} onChange={({ currentTarget }) => show({ sort: currentTarget.value as Sort })}>
            {sorts.map((one) => (
              <option key={one} value={one}>
                {words.sorts[one]}
              </option>
            ))}
          </select>
        </label>
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
          onChange={(price) => show({ price })}
        />
        <label class="field">
          <span>{words.type}</span>
          <select value={query.type} onChange={({ currentTarget }) => show({ type: currentTarget.value })}>
            <option value="">{words.allTypes}</option>
            {[...types].map((type) => (
              <option key={type} value={type}>
                {type}
              </option>
            ))}
          </select>
        </label>
        {tags.length > 0 && (
          <fieldset class="tag-filter">
            <legend>{words.tags}</legend>
            <div class="tags">
              {tags.map(({ value, count }) => {
                const chosen = query.tags.includes(value)
                return (
                  <button
                    key={value}
                    type="button"
                    class={chosen ? 'tag chosen' : 'tag'}
                    aria-pressed={chosen}
                    onClick={() =>
                      show({ tags: chosen ? query.tags.filter((tag) => tag !== value) : [...query.tags, value] })
                    }
                  >
                    <Words text={value} most={40} />
                    {count > 0 && <span class="muted tiny">{count}</span>}
                  </button>
                )
              })}
            </div>
          </fieldset>
        )}
        {isFiltered(query) && (
          <Button
            kind="quiet"
            size="small"
            icon="close"
            onClick={() => show({ text: '', type: '', tags: [], price: 'any' })}
          >
            {words.reset}
          </Button>
        )}
      </div>
    </aside>
  )
}
