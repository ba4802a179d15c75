import type { Asset } from '@tidegate/client'
import { CONSOLE_LIMITS } from '../../limits.js'
import { AccessField } from '../../parts/fields/access-field.js'
import { Choice, TextField } from '../../parts/fields/field.js'
import { ListedField } from '../../parts/fields/listed-field.js'
import { SamplesField } from '../../parts/fields/samples-field.js'
import { TagInput } from '../../parts/fields/tag-input.js'
import { TermsField, termsProblem } from '../../parts/fields/terms-field.js'
import type { Edited } from '../../state/publishing/changes.js'
import { mineText } from '../../text/mine.js'
import { publishText } from '../../text/publish.js'
import { text } from '../../text.js'
import { AmountFields } from '../publish/amount-fields.js'

interface FormProps {
  asset: Asset
  edited: Edited
  change: (changes: Partial<Edited>) => void
}

/** Most addresses of present buyers that are shown. */
const SHOWN_BUYERS = 5

export function EditForm({ asset: { chainId, services, buyers }, edited, change }: FormProps) {
  const words = publishText
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
        maxLength={CONSOLE_LIMITS.fields.description}
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
      {buyers && (
        <p class="small">
          {text.asset.mayBuy(text.asset.invitedBy(buyers.accounts.length, buyers.lists.length))}{' '}
          <span class="mono small break">
            {[...buyers.lists.map(({ address }) => address), ...buyers.accounts].slice(0, SHOWN_BUYERS).join(', ')}
          </span>
        </p>
      )}
      <AccessField
        compact
        name="edit-access"
        access={edited.access}
        options={[
          { value: 'unchanged', label: mineText.accessUnchanged },
          { value: 'everybody', label: words.everybody },
          { value: 'list', label: words.list },
          { value: 'members', label: words.members },
        ]}
        onChange={(access) => change({ access })}
      />
      <TermsField
        name="edit-terms"
        value={edited.terms}
        problem={termsProblem(edited.terms)}
        onChange={(terms) => change({ terms })}
      />
      <SamplesField samples={edited.samples} onChange={(next) => change({ samples: next(edited.samples) })} />
    </div>
  )
}
