import type { Asset } from '@tidegate/client'
import { AccessField } from '../../parts/access-field.js'
import { TextField } from '../../parts/field.js'
import { TagInput } from '../../parts/tag-input.js'
import type { Edited } from '../../state/publishing/changes.js'
import { text } from '../../text.js'

interface FormProps {
  asset: Asset
  edited: Edited
  change: (changes: Partial<Edited>) => void
}

export function EditForm({ asset: { services }, edited, change }: FormProps) {
  const { publish: words, mine } = text
  const price = services[0]?.price.datatoken
  const line = (field: 'name' | 'author' | 'license') => ({
    label: words[field],
    maxLength: 500,
    value: edited[field],
    onText: (value: string) => change({ [field]: value }),
  })
  return (
    <div class="stack">
      <TextField {...line('name')} problem={edited.name.trim() ? undefined : words.nameMissing} />
      <TextField
        label={words.description}
        rows={5}
        maxLength={50_000}
        value={edited.description}
        onText={(description) => change({ description })}
      />
      <div class="columns">
        <TextField {...line('author')} />
        <TextField {...line('license')} />
        {price && (
          <TextField
            label={mine.newPrice(price.symbol)}
            inputMode="decimal"
            value={edited.price}
            onText={(amount) => change({ price: amount })}
          />
        )}
        <TextField
          label={`${words.timeout} (${words.days.toLowerCase()})`}
          hint={words.daysHint}
          inputMode="numeric"
          value={edited.days}
          onText={(days) => change({ days })}
        />
      </div>
      <TagInput tags={edited.tags} onChange={(tags) => change({ tags })} />
      <AccessField
        compact
        name="edit-access"
        access={edited.access}
        options={[
          { value: 'unchanged', label: mine.accessUnchanged },
          { value: 'everybody', label: words.everybody },
          { value: 'list', label: words.list },
        ]}
        onChange={(access) => change({ access })}
      />
    </div>
  )
}
