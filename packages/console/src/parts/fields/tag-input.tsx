import { useState } from 'preact/hooks'
import { Icon } from '../../icons/icon.js'
import { publishText } from '../../text/publish.js'
import { Words } from '../texts/words.js'
import { Field } from './field.js'

const MOST = 20
const LONGEST = 60

/** A list of tags. Enter or a comma adds one; Backspace in an empty field makes the last one editable. */
export function TagInput({ tags, onChange }: { tags: readonly string[]; onChange: (tags: string[]) => void }) {
  const [typed, setTyped] = useState('')
  const add = (input: string) => {
    const fresh = input.split(',').map((tag) => tag.trim().slice(0, LONGEST))
    onChange([...new Set([...tags, ...fresh])].filter(Boolean).slice(0, MOST))
    setTyped('')
  }
  return (
    <Field label={publishText.tags} hint={publishText.tagsHint}>
      {(props) => (
        <div class="tag-input">
          {tags.map((tag) => (
            <button
              key={tag}
              type="button"
              class="tag removable"
              aria-label={publishText.removeTag(tag)}
              onClick={() => onChange(tags.filter((one) => one !== tag))}
            >
              <Words text={tag} most={40} />
              <Icon name="close" />
            </button>
          ))}
          <input
            {...props}
            value={typed}
            maxLength={LONGEST}
            onInput={({ currentTarget: { value } }) => (value.includes(',') ? add(value) : setTyped(value))}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && typed.trim()) {
                event.preventDefault()
                add(typed)
              }
              if (event.key === 'Backspace' && typed === '' && tags.length > 0) onChange(tags.slice(0, -1))
            }}
            onBlur={() => typed.trim() && add(typed)}
          />
        </div>
      )}
    </Field>
  )
}
