import {
  incomeOf,
  SALES_CSV_HEADER,
  type Sale,
  type SalesTotal,
  sales,
  salesCsvLines,
  salesTotals,
} from '@tidegate/client'
import { useState } from 'preact/hooks'
import type { Address } from 'viem'
import { shortDid } from '../../format/address.js'
import { Button } from '../../parts/button.js'
import { CopyButton } from '../../parts/copy.js'
import { Amounts, PaidText, PaymentList } from '../../parts/payments.js'
import { Empty, Failed, Notice, Skeleton } from '../../parts/states.js'
import { Words } from '../../parts/texts/words.js'
import { Time } from '../../parts/values.js'
import { AddressText } from '../../parts/wallet/address.js'
import { save } from '../../state/buying/sinks.js'
import { isReadable } from '../../state/chains.js'
import { config } from '../../state/config.js'
import { contextNow } from '../../state/context.js'
import { pathOf } from '../../state/page/route.js'
import { useResource } from '../../state/resource.js'
import { mineText } from '../../text/mine.js'
import { text } from '../../text.js'

/** Rows at the start, and additional rows each time. */
const SHOWN = 20

/** The sales of this account's assets, with sums and a file of all. */
export function MySales({ owner }: { owner: Address }) {
  const words = mineText
  const [read, setRead] = useState(0)
  const [shown, setShown] = useState(SHOWN)
  const found = useResource(owner, (signal) => salesOf(owner, setRead, signal))
  if (found.error !== undefined) return <Failed title={words.failedSales} error={found.error} onRetry={found.reload} />
  if (!found.value)
    return (
      <>
        <Skeleton lines={8} block />
        {read > 0 && <p role="status">{words.readSales(read)}</p>}
      </>
    )
  const { sold, incomplete } = found.value
  const note = incomplete && <Notice>{words.hiddenMissing}</Notice>
  if (sold.length === 0)
    return (
      <>
        {note}
        <Empty picture="empty" title={words.noSales} hint={words.noSalesHint} />
      </>
    )
  return (
    <div class="stack">
      {note}
      <div class="row">
        <Button icon="download" onClick={() => saveCsv(sold)}>
          {words.csv}
        </Button>
      </div>
      <Totals totals={salesTotals(sold)} />
      <ul class="rows">
        {sold.slice(0, shown).map((sale, at) => (
          <SaleRow key={`${sale.tx} ${at}`} sale={sale} />
        ))}
      </ul>
      {sold.length > shown && (
        <div class="row center">
          <Button onClick={() => setShown(shown + SHOWN)}>{words.more}</Button>
        </div>
      )}
    </div>
  )
}

async function salesOf(owner: Address, onProgress: (read: number) => void, signal: AbortSignal) {
  const sold: Sale[] = []
  let incomplete = false
  const onIncomplete = () => {
    incomplete = true
  }
  for (const { chainId } of config().chains.filter((chain) => isReadable(chain.chainId)))
    for await (const sale of sales(contextNow(), { owner, chainId, onProgress, onIncomplete, signal })) sold.push(sale)
  return { sold: sold.sort((a, b) => b.time.getTime() - a.time.getTime()), incomplete }
}

function saveCsv(sold: readonly Sale[]): void {
  const lines = [SALES_CSV_HEADER, ...sold.flatMap(salesCsvLines)]
  // Excel reads UTF-8 only with a byte order mark
  save(new Blob([`\ufeff${lines.join('\n')}\n`], { type: 'text/csv' }), 'sales.csv')
}

const AssetName = ({ did, name }: { did: string; name: string }) => (
  <a href={pathOf({ page: 'asset', did })}>
    {name ? <Words text={name} most={120} /> : <span class="mono">{shortDid(did)}</span>}
  </a>
)

function Totals({ totals }: { totals: readonly SalesTotal[] }) {
  const words = mineText
  return (
    <div class="table-frame">
      <table class="totals">
        <thead>
          <tr>
            <th scope="col">{words.month}</th>
            <th scope="col">{text.receipt.asset}</th>
            <th scope="col">{text.asset.orders}</th>
            <th scope="col">{words.income}</th>
          </tr>
        </thead>
        <tbody>
          {totals.map(({ month, did, name, orders, renewals, income }) => (
            <tr key={`${month} ${did}`}>
              <td>{month}</td>
              <td>
                <AssetName did={did} name={name} />
              </td>
              <td>
                {orders}
                {renewals > 0 && <span class="muted"> + {words.renewals(renewals)}</span>}
              </td>
              <td>
                {income.length === 0 ? <span class="muted">{words.noIncome}</span> : <Amounts amounts={income} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function SaleRow({ sale }: { sale: Sale }) {
  const { tx, did, name, service, consumer, time } = sale
  const words = mineText
  const income = incomeOf(sale)
  return (
    <li class="sale-row" data-order={tx}>
      <div class="asset-row-name">
        <strong>
          <AssetName did={did} name={name} />
        </strong>
        <p class="small muted row wrap">
          <Time time={time} as="minute" /> · {service !== undefined && <Words text={service} most={60} />}{' '}
          <AddressText address={consumer} />
        </p>
      </div>
      <div class="sale-row-paid">
        {sale.payments.length > 0 ? (
          <details>
            <summary>
              <PaidText paid={sale} />
            </summary>
            <PaymentList paid={sale} />
          </details>
        ) : (
          <PaidText paid={sale} />
        )}
        {income.length > 0 && (
          <p class="small muted">
            {words.yours} <Amounts amounts={income} />
          </p>
        )}
        <p class="small row wrap">
          <span class="mono" title={tx}>
            {tx.slice(0, 10)}…
          </span>
          <CopyButton value={tx} label={`${text.copy} ${text.receipt.transaction}`} />
          <a href={pathOf({ page: 'receipt', order: tx })}>{text.receipt.title}</a>
        </p>
      </div>
    </li>
  )
}
