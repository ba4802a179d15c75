import type { Asset } from '@tidegate/client'
import { AccessField } from '../../parts/access-field.js'
import { Choice, TextField } from '../../parts/field.js'
import { ListedField } from '../../parts/listed-field.js'
import { TagInput } from '../../parts/tag-input.js'
import type { Edited } from '../../state/publishing/changes.js'
import { text } from '../../text.js'
import { AmountFields } from '../publish/amount-fields.js'

interface FormProps {
  asset: Asset
  edited: Edited
  change: (changes: Partial<Edited>) => void
}

export function EditForm({ asset: { chainId, services }, edited, change }: FormProps) {
  const { publish: words, mine } = text
  const { price } = edited
  const present = services[0]?.price.datatoken
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
        <TextField
          label={`${words.timeout} (${words.days.toLowerCase()})`}
          hint={words.daysHint}
          inputMode="numeric"
          value={edited.days}
          onText={(days) => change({ days })}
        />
      </div>
      <TagInput tags={edited.tags} onChange={(tags) => change({ tags })} />
      <Choice
        compact
        label={words.price}
        name="edit-price"
        value={price.kind}
        options={[
          { value: 'free', label: words.free },
          { value: 'paid', label: words.paid },
        ]}
        onChange={(kind) => change({ price: { ...price, kind } })}
      />
      {price.kind === 'paid' && (
        <AmountFields
          price={price}
          chainId={chainId}
          present={present}
          onChange={(changes) => change({ price: { ...price, ...changes } })}
        />
      )}
      <ListedField
        compact
        name="edit-listed"
        unlisted={edited.unlisted}
        onChange={(unlisted) => change({ unlisted })}
      />
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
