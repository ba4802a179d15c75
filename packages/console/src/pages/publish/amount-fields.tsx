import { Field, TextField } from '../../parts/field.js'
import { type Draft, draft, editDraft } from '../../state/publishing/draft.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import type { Problems } from './checks.js'
import { useToken } from './token.js'

/** Amount and token of a price. */
export function AmountFields({ price, problems }: { price: Draft['price']; problems: Problems }) {
  const { publish: words } = text
  const { chainId } = useStore(draft)
  const token = useToken(chainId, price.token)
  const isOther = price.token !== ''
  const change = (changes: Partial<Draft['price']>) => editDraft({ price: { ...price, ...changes } })
  return (
    <div class="columns">
      <TextField
        label={words.amount}
        problem={problems.amount}
        inputMode="decimal"
        autocomplete="off"
        value={price.amount}
        onText={(amount) => change({ amount })}
      />
      <Field label={words.token}>
        {(props) => (
          <select
            {...props}
            value={isOther ? 'other' : 'ocean'}
            onChange={({ currentTarget }) => change({ token: currentTarget.value === 'other' ? '0x' : '' })}
          >
            <option value="ocean">{words.ocean}</option>
            <option value="other">{words.otherToken}</option>
          </select>
        )}
      </Field>
      {isOther && (
        <TextField
          label={words.tokenAddress}
          problem={problems.token}
          hint={token ? words.tokenIs(token.symbol, token.decimals) : undefined}
          class="mono"
          spellcheck={false}
          autocomplete="off"
          value={price.token}
          onText={(address) => change({ token: address.trim() || '0x' })}
        />
      )}
    </div>
  )
}
