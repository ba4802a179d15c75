import { Words } from '../../parts/words.js'
import type { Facet } from '../../state/facets.js'
import { text } from '../../text.js'

interface TagFilterProps {
  chosen: readonly string[]
  facets: readonly Facet[]
  onChange: (tags: string[]) => void
}

/** The tags of the catalogue as toggles. A tag keeps its place if it is chosen. */
export function TagFilter({ chosen, facets, onChange }: TagFilterProps) {
  const others = chosen.filter((tag) => !facets.some(({ value }) => value === tag))
  const tags = [...others.map((value) => ({ value, count: 0 })), ...facets]
  if (tags.length === 0) return null
  return (
    <fieldset class="tag-filter">
      <legend>{text.catalogue.tags}</legend>
      <div class="tags">
        {tags.map(({ value, count }) => {
          const isChosen = chosen.includes(value)
          return (
            <button
              key={value}
              type="button"
              class={isChosen ? 'tag chosen' : 'tag'}
              aria-pressed={isChosen}
              onClick={() => onChange(isChosen ? chosen.filter((tag) => tag !== value) : [...chosen, value])}
            >
              <Words text={value} most={40} />
              {count > 0 && <span class="muted tiny">{count}</span>}
            </button>
          )
        })}
      </div>
    </fieldset>
  )
}
