import type { Amount, AssetService, Price } from '@tidegate/client'
import { AmountText, durationText, PriceText } from '../../parts/values.js'
import { text } from '../../text.js'

/** The total price in large, and its parts below. */
export function PricePanel({ price, service }: { price: Price; service: AssetService }) {
  const { asset: words } = text
  const rows: [string, Amount | undefined, boolean?][] = [
    [words.parts.datatoken, price.datatoken],
    [words.parts.ofWhichFees, price.exchangeFees, true],
    [words.parts.publishFee, price.publishFee],
    [words.parts.providerFee, price.providerFee],
  ]
  const told = rows.filter((row): row is [string, Amount, boolean?] => row[1] !== undefined)
  return (
    <div class="price-panel">
      <p class="price-large">
        <PriceText price={price} whole />
      </p>
      <p class="muted small">
        {service.timeout === 0 ? words.validForever : words.validFor(text.durations.for(durationText(service.timeout)))}
      </p>
      {price.told && price.total.length > 0 && <p class="muted small">{words.toldPrice}</p>}
      {!price.told && told.length > 0 && (
        <details class="parts">
          <summary>{words.priceParts}</summary>
          <dl>
            {told.map(([label, amount, within]) => (
              <div key={label} class={within ? 'within' : ''}>
                <dt>{label}</dt>
                <dd>
                  <AmountText amount={amount} whole />
                </dd>
              </div>
            ))}
            {price.total.map((amount) => (
              <div key={amount.token} class="sum">
                <dt>{words.parts.total}</dt>
                <dd>
                  <AmountText amount={amount} whole />
                </dd>
              </div>
            ))}
          </dl>
          <p class="muted small">{words.network}</p>
        </details>
      )}
    </div>
  )
}
