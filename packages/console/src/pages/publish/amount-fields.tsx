import { Field, TextField } from '../../parts/field.js'
import { type Draft, draft, editDraft } from '../../state/publishing/draft.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import type { Problems } from './checks.js'
import { useListedTokens, useToken } from './token.js'

/** Amount and token of a price. */
export function AmountFields({ price, problems }: { price: Draft['price']; problems: Problems }) {
  const { publish: words } = text
  const { chainId } = useStore(draft)
  const token = useToken(chainId, price.token)
  const listed = useListedTokens(chainId)
  const known = listed.find(([, address]) => address === price.token)
  const isOther = price.token !== '' && !known
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
            value={isOther ? '0x' : price.token}
            onChange={({ currentTarget }) => change({ token: currentTarget.value })}
          >
            <option value="">{words.ocean}</option>
            {listed.map(([symbol, address]) => (
              <option key={address} value={address}>
                {symbol}
              </option>
            ))}
            <option value="0x">{words.otherToken}</option>
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
