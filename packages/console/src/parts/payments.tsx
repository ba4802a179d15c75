import type { Amount, Paid } from '@tidegate/client'
import { Fragment } from 'preact'
import { text } from '../text.js'
import { AmountText } from './values.js'

/** Amounts of several tokens in one line; `whole` shows all decimals. */
export function Amounts({ amounts, whole = true }: { amounts: readonly Amount[]; whole?: boolean }) {
  return (
    <>
      {amounts.map((amount, at) => (
        <Fragment key={amount.token}>
          {at > 0 && text.and}
          <AmountText amount={amount} whole={whole} />
        </Fragment>
      ))}
    </>
  )
}

/** The sum of an order's payments, or the reason that there are none. */
export function PaidText({ paid: { source, total } }: { paid: Paid }) {
  const { sources } = text.receipt
  if (total.length === 0) return <span class="muted">{sources[source]}</span>
  return (
    <span>
      <Amounts amounts={total} />
      {(source === 'held' || source === 'renewal') && <span class="muted"> ({sources[source]})</span>}
    </span>
  )
}

/** Each payment with its receiver, and the sum of each token. */
export function PaymentList({ paid: { source, payments, total } }: { paid: Paid }) {
  const { receipt: words } = text
  return (
    <dl class="payments">
      {(total.length === 0 || source === 'held' || source === 'renewal') && (
        <div>
          <dt>{words.price}</dt>
          <dd>{words.sources[source]}</dd>
        </div>
      )}
      {payments.map(({ to, amount, receiver }) => (
        <div key={`${to} ${amount.token} ${receiver}`}>
          <dt>
            {words.receivers[to]} {receiver && <span class="mono small muted">{receiver}</span>}
          </dt>
          <dd>
            <AmountText amount={amount} whole />
          </dd>
        </div>
      ))}
      {total.map((amount) => (
        <div key={amount.token} class="sum">
          <dt>{words.total}</dt>
          <dd>
            <AmountText amount={amount} whole />
          </dd>
        </div>
      ))}
    </dl>
  )
}
