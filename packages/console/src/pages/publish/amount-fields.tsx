import { Field, TextField } from '../../parts/field.js'
import { text } from '../../text.js'
import type { Problems } from './checks.js'
import { useToken } from './token.js'

interface AmountFieldsProps {
  /** The token is empty for OCEAN. */
  price: { amount: string; token: string }
  chainId: number | undefined
  /** The present token of an asset, which the list offers by its symbol. */
  present?: { token: string; symbol: string } | undefined
  problems?: Problems
  onChange: (changes: { amount?: string; token?: string }) => void
}

/** Amount and token of a price. */
export function AmountFields({ price, chainId, present, problems = {}, onChange }: AmountFieldsProps) {
  const { publish: words } = text
  const token = useToken(chainId, price.token)
  const isPresent = present !== undefined && price.token === present.token
  const isOther = price.token !== '' && !isPresent
  return (
    <div class="columns">
      <TextField
        label={words.amount}
        problem={problems.amount}
        inputMode="decimal"
        autocomplete="off"
        value={price.amount}
        onText={(amount) => onChange({ amount })}
      />
      <Field label={words.token}>
        {(props) => (
          <select
            {...props}
            value={isOther ? 'other' : isPresent ? 'present' : 'ocean'}
            onChange={({ currentTarget: { value } }) =>
              onChange({ token: value === 'other' ? '0x' : value === 'present' && present ? present.token : '' })
            }
          >
            {present && <option value="present">{present.symbol}</option>}
            {present?.symbol !== words.ocean && <option value="ocean">{words.ocean}</option>}
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
          onText={(address) => onChange({ token: address.trim() || '0x' })}
        />
      )}
    </div>
  )
}
