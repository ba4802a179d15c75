import type { Amount, Paid } from '@tidegate/client'
import { text } from '../text.js'
import { AmountText } from './values.js'

/** Amounts of several tokens in one line. */
export function Amounts({ amounts }: { amounts: readonly Amount[] }) {
  return (
    <>
      {amounts.map((amount, at) => (
        <>
          {at > 0 && text.and}
          <AmountText key={amount.token} amount={amount} whole />
        </>
      ))}
    </>
  )
}

/** What an order's transaction paid, or why it paid nothing. */
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
