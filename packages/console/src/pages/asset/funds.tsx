import { funds, type Quote } from '@tidegate/client'
import { shownAmount } from '../../format/amount.js'
import { plainLine } from '../../format/hostile.js'
import { Notice } from '../../parts/states.js'
import { chainOf } from '../../state/config.js'
import { contextNow } from '../../state/context.js'
import { useResource } from '../../state/resource.js'
import { text } from '../../text.js'

/** The balances of the buyer, the estimated network fee, and a warning if something is missing. Nothing if they cannot be read. */
export function FundsPanel({ quote }: { quote: Quote }) {
  const { chainId, consumer, service, price } = quote
  const due = price.total.map(({ token, units }) => `${token} ${units}`).join()
  const { value } = useResource(`${chainId} ${consumer} ${service} ${due}`, () => funds(contextNow(), quote))
  if (!value) return null
  const { asset: words } = text
  const { symbol, decimals } = chainOf(chainId)?.currency ?? { symbol: '', decimals: 18 }
  const coins = (units: bigint) => shownAmount({ units, decimals }).text
  const { held, fee } = value.coin
  return (
    <div class="stack tight funds">
      {value.tokens.map((token) => {
        const [wanted, own] = [token.due, token.held].map((amount) => shownAmount(amount).text)
        const name = plainLine(token.due.symbol, 20)
        if (token.held.units >= token.due.units)
          return (
            <p key={token.due.token} class="muted small">
              {words.holds(`${own} ${name}`)}
            </p>
          )
        return (
          <Notice key={token.due.token} kind="warn">
            {words.notEnough(name, `${wanted}`, `${own}`)}
          </Notice>
        )
      })}
      {held >= fee ? (
        <p class="muted small">{words.networkFee(`${coins(fee)} ${symbol}`)}</p>
      ) : (
        <Notice kind="warn">{words.notEnoughCoin(symbol, coins(fee), coins(held))}</Notice>
      )}
    </div>
  )
}
