import { CONSOLE_LIMITS } from '../../limits.js'
import { TextField } from '../../parts/fields/field.js'
import { SamplesField } from '../../parts/fields/samples-field.js'
import { TagInput } from '../../parts/fields/tag-input.js'
import { draft, editDraft } from '../../state/publishing/draft.js'
import { useStore } from '../../state/store.js'
import { publishText } from '../../text/publish.js'
import type { Problems } from './checks.js'

/** Suggested SPDX identifiers. */
const LICENSES = ['CC0-1.0', 'CC-BY-4.0', 'CC-BY-SA-4.0', 'CC-BY-NC-4.0', 'ODbL-1.0', 'MIT', 'Apache-2.0']

export function DescriptionStep({ problems }: { problems: Problems }) {
  const now = useStore(draft)
  const words = publishText
  const line = (field: 'name' | 'author' | 'license') => ({
    label: words[field],
    maxLength: 500,
    value: now[field],
    onText: (value: string) => editDraft({ [field]: value }),
  })
  return (
    <div class="stack">
      <TextField
        {...line('name')}
        hint={words.nameHint}
        problem={now.name.trim() ? undefined : problems.name}
        required
      />
      <TextField
        label={words.description}
        hint={words.descriptionHint}
        rows={6}
        maxLength={CONSOLE_LIMITS.fields.description}
        value={now.description}
        onText={(description) => editDraft({ description })}
      />
      <div class="columns">
        <TextField {...line('author')} />
        <TextField {...line('license')} hint={words.licenseHint} suggestions={LICENSES} />
      </div>
      <SamplesField samples={now.samples} onChange={(change) => editDraft({ samples: change(draft.get().samples) })} />
      <TagInput tags={now.tags} onChange={(tags) => editDraft({ tags })} />
    </div>
  )
}
