import type { Asset } from '@tidegate/client'
import { Choice, Field } from '../../parts/field.js'
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
  return (
    <div class="stack">
      <Field label={words.name} problem={edited.name.trim() ? undefined : words.nameMissing}>
        {(props) => (
          <input
            {...props}
            maxLength={500}
            value={edited.name}
            onInput={({ currentTarget }) => change({ name: currentTarget.value })}
          />
        )}
      </Field>
      <Field label={words.description}>
        {(props) => (
          <textarea
            {...props}
            rows={5}
            maxLength={50_000}
            value={edited.description}
            onInput={({ currentTarget }) => change({ description: currentTarget.value })}
          />
        )}
      </Field>
      <div class="columns">
        <Field label={words.author}>
          {(props) => (
            <input
              {...props}
              maxLength={500}
              value={edited.author}
              onInput={({ currentTarget }) => change({ author: currentTarget.value })}
            />
          )}
        </Field>
        <Field label={words.license}>
          {(props) => (
            <input
              {...props}
              maxLength={500}
              value={edited.license}
              onInput={({ currentTarget }) => change({ license: currentTarget.value })}
            />
          )}
        </Field>
        {price && (
          <Field label={mine.newPrice(price.symbol)}>
            {(props) => (
              <input
                {...props}
                inputMode="decimal"
                value={edited.price}
                onInput={({ currentTarget }) => change({ price: currentTarget.value })}
              />
            )}
          </Field>
        )}
        <Field label={`${words.timeout} (${words.days.toLowerCase()})`} hint={words.daysHint}>
          {(props) => (
            <input
              {...props}
              inputMode="numeric"
              value={edited.days}
              onInput={({ currentTarget }) => change({ days: currentTarget.value })}
            />
          )}
        </Field>
      </div>
      <TagInput tags={edited.tags} onChange={(tags) => change({ tags })} />
      <Choice
        compact
        label={words.access}
        name="edit-access"
        value={edited.access.kind}
        options={[
          { value: 'unchanged', label: mine.accessUnchanged },
          { value: 'everybody', label: words.everybody },
          { value: 'list', label: words.list },
        ]}
        onChange={(kind) => change({ access: { ...edited.access, kind } })}
      />
      {edited.access.kind === 'list' && (
        <Field label={words.addresses} hint={words.addressesHint}>
          {(props) => (
            <textarea
              {...props}
              class="mono"
              rows={3}
              value={edited.access.list}
              onInput={({ currentTarget }) => change({ access: { ...edited.access, list: currentTarget.value } })}
            />
          )}
        </Field>
      )}
    </div>
  )
}
