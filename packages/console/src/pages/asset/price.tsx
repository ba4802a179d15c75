import type { Amount, AssetService, Price } from '@tidegate/client'
import { decimalOf, grouped } from '../../format/amount.js'
import { Words } from '../../parts/texts/words.js'
import { durationText, PriceText } from '../../parts/values.js'
import { text } from '../../text.js'

/** The total price in large, and its parts below. */
export function PricePanel({ price, service }: { price: Price; service: AssetService }) {
  const { asset: words } = text
  const parts = partsOf(price)
  return (
    <div class="price-panel">
      <p class="price-large">
        <PriceText price={price} whole />
      </p>
      <p class="muted small">
        {service.timeout === 0 ? words.validForever : words.validFor(text.durations.for(durationText(service.timeout)))}
      </p>
      {price.told && price.total.length > 0 && <p class="muted small">{words.toldPrice}</p>}
      {!price.told && parts.length > 0 && (
        <details class="parts">
          <summary>{words.priceParts}</summary>
          <dl>
            {parts.map(([label, amount]) => (
              <Row key={label} label={label} amount={amount} />
            ))}
            {price.total.map((amount) => (
              <Row key={amount.token} label={words.parts.total} amount={amount} sum />
            ))}
          </dl>
          <p class="muted small">{words.network}</p>
        </details>
      )}
    </div>
  )
}

/** Returns the receivers of a price with their amounts, which add up to the total. */
function partsOf({ datatoken, exchangeFees, publishFee, providerFee }: Price): [label: string, amount: Amount][] {
  const { parts } = text.asset
  const units = datatoken && datatoken.units - (exchangeFees?.units ?? 0n)
  const own =
    datatoken && units !== undefined ? { ...datatoken, units, amount: decimalOf(units, datatoken.decimals) } : undefined
  const rows: [string, Amount | undefined][] = [
    [parts.publisher, own],
    [parts.exchangeFees, exchangeFees],
    [parts.publishFee, publishFee],
    [parts.providerFee, providerFee],
  ]
  return rows.filter((row): row is [string, Amount] => row[1] !== undefined)
}

/** A part of a price, aligned at its decimal point. */
function Row({ label, amount: { amount, symbol }, sum = false }: { label: string; amount: Amount; sum?: boolean }) {
  const [whole, fraction] = grouped(amount).split('.')
  return (
    <div class={sum ? 'sum' : ''}>
      <dt>{label}</dt>
      <dd>
        <span>{whole}</span>
        <span>{fraction && `.${fraction}`}</span>
        <span>
          {' '}
          <Words text={symbol} most={20} />
        </span>
      </dd>
    </div>
  )
}
