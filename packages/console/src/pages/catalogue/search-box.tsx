import { useRef } from 'preact/hooks'
import { Icon } from '../../icons/icon.js'
import { text } from '../../text.js'

interface SearchBoxProps {
  value: string
  busy: boolean
  onChange: (value: string) => void
  onSubmit: () => void
}

export function SearchBox({ value, busy, onChange, onSubmit }: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <search>
      <form
        class="search-box"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          enterkeyhint="search"
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
          aria-label={text.catalogue.searchLabel}
          placeholder={text.catalogue.placeholder}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
        {busy && <span class="spinner" aria-hidden="true" />}
        {value !== '' && (
          <button
            type="button"
            class="icon-button"
            aria-label={text.catalogue.clear}
            onClick={() => {
              onChange('')
              input.current?.focus()
            }}
          >
            <Icon name="close" />
          </button>
        )}
      </form>
    </search>
  )
}
