import { Field, TextField } from '../../parts/fields/field.js'
import { publishText } from '../../text/publish.js'
import type { Problems } from './checks.js'
import { useListedTokens, useToken } from './token.js'

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
  const words = publishText
  const token = useToken(chainId, price.token)
  const listed = useListedTokens(chainId)
  // the present token of an asset may be no token of the list
  const offered =
    present && present.token !== '' && !listed.some(([, address]) => address === present.token)
      ? [[present.symbol, present.token] as const, ...listed]
      : listed
  const isOther = price.token !== '' && !offered.some(([, address]) => address === price.token)
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
            value={isOther ? '0x' : price.token}
            onChange={({ currentTarget }) => onChange({ token: currentTarget.value })}
          >
            <option value="">{words.ocean}</option>
            {offered.map(([symbol, address]) => (
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
          onText={(address) => onChange({ token: address.trim() || '0x' })}
        />
      )}
    </div>
  )
}
