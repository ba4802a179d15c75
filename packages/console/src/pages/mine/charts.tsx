import type { Amount } from '@tidegate/client'
import { decimalOf, shownAmount, summed } from '../../format/amount.js'
import { seriesOf } from '../../format/series.js'
import { Chart } from '../../parts/chart.js'
import { Notice, Problem, Skeleton } from '../../parts/states.js'
import type { Sale } from '../../state/sales.js'
import { mineText } from '../../text/mine.js'
import { text } from '../../text.js'

interface ChartsProps {
  sales: readonly Sale[] | undefined
  incomplete: boolean
  error: unknown
}

/** Orders over time, and income in each token. */
export function SalesCharts({ sales, incomplete, error }: ChartsProps) {
  const words = mineText
  if (error !== undefined) return <Problem error={error} />
  if (!sales)
    return (
      <div class="charts">
        <Skeleton lines={1} />
      </div>
    )
  const note = incomplete && <Notice>{words.incomplete}</Notice>
  if (sales.length === 0)
    return (
      <>
        <p class="muted">{words.noSales}</p>
        {note}
      </>
    )
  const counted = seriesOf(
    sales.map(({ time }) => ({ time, value: 1 })),
    { zero: 0, add: (a, b) => a + b, number: (value) => value, shown: text.catalogue.orders },
  )
  const tokens = summed(sales.flatMap(({ income }) => (income ? [income] : [])))
  return (
    <section class="charts" aria-label={words.income}>
      <Chart kind="bars" title={words.ordersOverTime} total={text.catalogue.orders(sales.length)} points={counted} />
      {tokens.slice(0, 3).map((token) => (
        <Income key={token.token} token={token} sales={sales} />
      ))}
      {note}
    </section>
  )
}

/** Cumulative income in one token. */
function Income({ token, sales }: { token: Amount; sales: readonly Sale[] }) {
  const { symbol, decimals } = token
  const own = sales.flatMap(({ time, income }) =>
    income?.token === token.token ? [{ time, value: income.units }] : [],
  )
  const amount = (units: bigint) => `${shownAmount({ units, decimals }).text} ${symbol}`
  let sum = 0n
  const points = seriesOf(own, {
    zero: 0n,
    add: (a, b) => a + b,
    // for the position of the line: fifteen digits are more than a screen has
    number: (units) => {
      sum += units
      return Number(decimalOf(sum, decimals))
    },
    shown: amount,
  })
  return <Chart kind="area" title={mineText.incomeOverTime(symbol)} total={amount(token.units)} points={points} />
}
