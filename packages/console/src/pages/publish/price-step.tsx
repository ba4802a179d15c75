import { AccessField } from '../../parts/fields/access-field.js'
import { Choice, Field, TextField } from '../../parts/fields/field.js'
import { ListedField } from '../../parts/fields/listed-field.js'
import { TermsField } from '../../parts/fields/terms-field.js'
import { config } from '../../state/config.js'
import { draft, editDraft } from '../../state/publishing/draft.js'
import { useStore } from '../../state/store.js'
import { publishText } from '../../text/publish.js'
import { AmountFields } from './amount-fields.js'
import type { Problems } from './checks.js'

/** Network and price of an asset, duration of an order, and the accounts that may buy. */
export function PriceStep({ problems }: { problems: Problems }) {
  const { price, access, terms, unlisted, chainId } = useStore(draft)
  const words = publishText
  return (
    <div class="stack">
      <NetworkField />
      <Choice
        label={words.price}
        name="price-kind"
        value={price.kind}
        options={[
          { value: 'free', label: words.free, hint: words.freeHint },
          { value: 'paid', label: words.paid, hint: words.paidHint },
        ]}
        onChange={(kind) => editDraft({ price: { ...price, kind } })}
      />
      {price.kind === 'paid' && (
        <AmountFields
          price={price}
          chainId={chainId}
          problems={problems}
          onChange={(changes) => editDraft({ price: { ...price, ...changes } })}
        />
      )}
      <DurationFields problem={problems.days} />
      <AccessField
        name="access"
        access={access}
        options={[
          { value: 'everybody', label: words.everybody },
          { value: 'list', label: words.list },
          { value: 'members', label: words.members },
        ]}
        problem={problems.addresses}
        onChange={(access) => editDraft({ access })}
      />
      <TermsField name="terms" value={terms} problem={problems.terms} onChange={(terms) => editDraft({ terms })} />
      <ListedField name="listed" unlisted={unlisted} onChange={(unlisted) => editDraft({ unlisted })} />
    </div>
  )
}

function NetworkField() {
  const { chainId } = useStore(draft)
  const { chains } = config()
  if (chains.length < 2) return null
  return (
    <Field label={publishText.network}>
      {(props) => (
        <select
          {...props}
          value={chainId ?? chains[0]?.chainId}
          onChange={({ currentTarget }) => editDraft({ chainId: Number(currentTarget.value) })}
        >
          {chains.map((chain) => (
            <option key={chain.chainId} value={chain.chainId}>
              {chain.name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function DurationFields({ problem }: { problem: string | undefined }) {
  const { days } = useStore(draft)
  const words = publishText
  return (
    <>
      <Choice
        label={words.timeout}
        name="timeout"
        value={days === '' ? 'forever' : 'limited'}
        options={[
          { value: 'forever', label: words.forever },
          { value: 'limited', label: words.limited },
        ]}
        onChange={(kind) => editDraft({ days: kind === 'forever' ? '' : '30' })}
      />
      {days !== '' && (
        <TextField
          label={words.days}
          problem={problem}
          inputMode="numeric"
          class="short"
          value={days}
          // '' means forever: an emptied field is ' '
          onText={(value) => editDraft({ days: value.trim() || ' ' })}
        />
      )}
    </>
  )
}
