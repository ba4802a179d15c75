import { purchasePrice, type Quote } from '@tidegate/client'
import { plainLine } from '../../format/hostile.js'
import { Button } from '../../parts/button.js'
import { purchaseBySignature } from '../../state/buying/purchases.js'
import { config } from '../../state/config.js'
import { contextNow } from '../../state/context.js'
import { useResource } from '../../state/resource.js'
import { text } from '../../text.js'

interface PayOnceProps {
  quote: Quote
  /** SHA-256 of the accepted terms. */
  accepted: string | undefined
  disabled: boolean
}

/** Buys by one signature, without coins of the chain, where the provider sells the asset so. Otherwise nothing. */
export function PayOnce({ quote, accepted, disabled }: PayOnceProps) {
  const { did, service, price, renews, held, chainId } = quote
  const [due, ...others] = renews || held ? [] : price.total
  const isSold = due && others.length === 0 && config().purchases?.[chainId]?.includes(due.token)
  const key = isSold ? `${did} ${service} ${price.total.map(({ units }) => units).join()}` : ''
  const { value } = useResource(key, async () => (isSold ? purchasePrice(contextNow(), did, { service }) : undefined))
  if (!value) return null
  const { asset: words } = text
  const { amount, symbol } = value.amount
  return (
    <>
      <Button size="large" disabled={disabled} onClick={() => void purchaseBySignature(quote, value, accepted)}>
        {words.payOnce(`${amount} ${plainLine(symbol, 20)}`)}
      </Button>
      <p class="muted small">{words.payOnceHint}</p>
    </>
  )
}
