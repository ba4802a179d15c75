import { useRef } from 'preact/hooks'
import { Words } from '../../parts/texts/words.js'
import type { Facet } from '../../state/facets.js'
import { text } from '../../text.js'

interface TagFilterProps {
  chosen: readonly string[]
  facets: readonly Facet[]
  onChange: (tags: string[]) => void
}

/** The tags of the matches as toggles. No tag moves while one has the focus: a moved element loses it. */
export function TagFilter({ chosen, facets, onChange }: TagFilterProps) {
  const box = useRef<HTMLFieldSetElement>(null)
  const order = useRef<string[]>([])
  const counts = new Map([
    ...chosen.map((tag) => [tag, 0] as const),
    ...facets.map(({ value, count }) => [value, count] as const),
  ])
  const kept = box.current?.contains(document.activeElement) ? order.current.filter((tag) => counts.has(tag)) : []
  order.current = [...new Set([...kept, ...counts.keys()])]
  if (order.current.length === 0) return null
  return (
    <fieldset class="tag-filter" ref={box}>
      <legend>{text.catalogue.tags}</legend>
      <div class="tags">
        {order.current.map((value) => {
          const count = counts.get(value) ?? 0
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
