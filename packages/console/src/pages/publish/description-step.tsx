import { Field } from '../../parts/field.js'
import { TagInput } from '../../parts/tag-input.js'
import { type Draft, draft, editDraft } from '../../state/publishing/draft.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import type { Problems } from './checks.js'

/** SPDX ids that are chosen most. */
export const LICENSES = ['CC0-1.0', 'CC-BY-4.0', 'CC-BY-SA-4.0', 'CC-BY-NC-4.0', 'ODbL-1.0', 'MIT', 'Apache-2.0']

export function DescriptionStep({ problems }: { problems: Problems }) {
  const { name, description, author, license, tags } = useStore(draft)
  const { publish: words } = text
  return (
    <div class="stack">
      <Field label={words.name} hint={words.nameHint} problem={name.trim() ? undefined : problems.name}>
        {(props) => <Line {...props} value={name} field="name" required />}
      </Field>
      <Field label={words.description} hint={words.descriptionHint}>
        {(props) => (
          <textarea
            {...props}
            rows={6}
            maxLength={50_000}
            value={description}
            onInput={({ currentTarget }) => editDraft({ description: currentTarget.value })}
          />
        )}
      </Field>
      <div class="columns">
        <Field label={words.author}>{(props) => <Line {...props} value={author} field="author" />}</Field>
        <Field label={words.license} hint={words.licenseHint}>
          {(props) => (
            <>
              <Line {...props} value={license} field="license" list="licenses" />
              <datalist id="licenses">
                {LICENSES.map((one) => (
                  <option key={one} value={one} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      </div>
      <TagInput tags={tags} onChange={(next) => editDraft({ tags: next })} />
    </div>
  )
}

interface LineProps {
  id: string
  'aria-describedby': string
  'aria-invalid'?: 'true'
  value: string
  field: keyof Pick<Draft, 'name' | 'author' | 'license'>
  list?: string
  required?: boolean
}

function Line({ field, ...props }: LineProps) {
  return (
    <input
      type="text"
      {...props}
      maxLength={500}
      onInput={({ currentTarget }) => editDraft({ [field]: currentTarget.value })}
    />
  )
}
