import { Choice, Field } from '../../parts/field.js'
import { config } from '../../state/config.js'
import { type Draft, draft, editDraft } from '../../state/publishing/draft.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import type { Problems } from './checks.js'
import { useToken } from './token.js'

/** What an order costs, how long it is valid, and who may buy. */
export function PriceStep({ problems }: { problems: Problems }) {
  const { price, days, access, chainId } = useStore(draft)
  const { publish: words } = text
  const { chains } = config()
  return (
    <div class="stack">
      {chains.length > 1 && (
        <Field label={words.network}>
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
      )}
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
      {price.kind === 'paid' && <Amount price={price} problems={problems} />}
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
        <Field label={words.days} problem={problems.days}>
          {(props) => (
            <input
              {...props}
              inputMode="numeric"
              class="short"
              value={days}
              // an empty field is not the same as for ever
              onInput={({ currentTarget }) => editDraft({ days: currentTarget.value.trim() || ' ' })}
            />
          )}
        </Field>
      )}
      <Choice
        label={words.access}
        name="access"
        value={access.kind}
        options={[
          { value: 'everybody', label: words.everybody },
          { value: 'list', label: words.list },
        ]}
        onChange={(kind) => editDraft({ access: { ...access, kind } })}
      />
      {access.kind === 'list' && (
        <Field label={words.addresses} hint={words.addressesHint} problem={problems.addresses}>
          {(props) => (
            <textarea
              {...props}
              class="mono"
              rows={4}
              spellcheck={false}
              value={access.list}
              onInput={({ currentTarget }) => editDraft({ access: { ...access, list: currentTarget.value } })}
            />
          )}
        </Field>
      )}
    </div>
  )
}

function Amount({ price, problems }: { price: Draft['price']; problems: Problems }) {
  const { publish: words } = text
  const { chainId } = useStore(draft)
  const token = useToken(chainId, price.token)
  const other = price.token !== ''
  return (
    <div class="columns">
      <Field label={words.amount} problem={problems.amount}>
        {(props) => (
          <input
            {...props}
            inputMode="decimal"
            autocomplete="off"
            value={price.amount}
            onInput={({ currentTarget }) => editDraft({ price: { ...price, amount: currentTarget.value } })}
          />
        )}
      </Field>
      <Field label={words.token}>
        {(props) => (
          <select
            {...props}
            value={other ? 'other' : 'ocean'}
            onChange={({ currentTarget }) =>
              editDraft({ price: { ...price, token: currentTarget.value === 'other' ? '0x' : '' } })
            }
          >
            <option value="ocean">{words.ocean}</option>
            <option value="other">{words.otherToken}</option>
          </select>
        )}
      </Field>
      {other && (
        <Field
          label={words.tokenAddress}
          problem={problems.token}
          hint={token ? words.tokenIs(token.symbol, token.decimals) : undefined}
        >
          {(props) => (
            <input
              {...props}
              class="mono"
              spellcheck={false}
              autocomplete="off"
              value={price.token}
              onInput={({ currentTarget }) =>
                editDraft({ price: { ...price, token: currentTarget.value.trim() || '0x' } })
              }
            />
          )}
        </Field>
      )}
    </div>
  )
}
