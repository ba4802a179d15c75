import { type Asset, asset, type Order, orders, withPayments } from '@tidegate/client'
import { useState } from 'preact/hooks'
import type { Address } from 'viem'
import { Button, ButtonLink } from '../../parts/button.js'
import { Empty, Failed, Notice, Problem, Skeleton } from '../../parts/states.js'
import { isReadable } from '../../state/chains.js'
import { config } from '../../state/config.js'
import { contextNow, reading } from '../../state/context.js'
import { pathOf } from '../../state/page/route.js'
import { useResource } from '../../state/resource.js'
import { mineText } from '../../text/mine.js'
import { OrderRow } from './order-row.js'

/** Rows at the start, and additional rows each time. */
const SHOWN = 10

interface Found {
  orders: Order[]
  incomplete: boolean
}

async function ordersOf(consumer: Address): Promise<Found> {
  let incomplete = false
  const onIncomplete = () => {
    incomplete = true
  }
  const chains = config().chains.filter(({ chainId }) => isReadable(chainId))
  const all = await Promise.all(chains.map(({ chainId }) => orders(contextNow(), consumer, { chainId, onIncomplete })))
  return { orders: all.flat().sort((a, b) => b.started.getTime() - a.started.getTime()), incomplete }
}

export function MyOrders({ consumer }: { consumer: Address }) {
  const words = mineText
  const found = useResource(consumer, () => ordersOf(consumer))
  const [shown, setShown] = useState(SHOWN)
  if (!config().chains.some(({ chainId }) => isReadable(chainId)))
    return <Empty picture="broken" title={words.unreadable} hint={words.unreadableHint} />
  if (found.error !== undefined) return <Failed title={words.failedOrders} error={found.error} onRetry={found.reload} />
  if (!found.value) return <Skeleton lines={8} block />
  const { orders, incomplete } = found.value
  if (orders.length === 0)
    return (
      <Empty picture="empty" title={words.noOrders} hint={words.noOrdersHint}>
        <ButtonLink kind="primary" icon="grid" href={pathOf({ page: 'catalogue' })}>
          {words.browse}
        </ButtonLink>
      </Empty>
    )
  const visible = orders.slice(0, shown)
  return (
    <div class="stack">
      {incomplete && <Notice>{words.incomplete}</Notice>}
      <OrderList orders={visible} />
      {orders.length > shown && (
        <div class="row center">
          <Button onClick={() => setShown(shown + SHOWN)}>{words.more}</Button>
        </div>
      )}
    </div>
  )
}

function OrderList({ orders }: { orders: readonly Order[] }) {
  const dids = [...new Set(orders.map(({ did }) => did))]
  const told = useResource(
    dids.join(),
    async (signal) => {
      const assets = await Promise.all(dids.map((did) => asset(reading(), did, { signal }).catch(() => undefined)))
      return new Map(assets.flatMap((one): [string, Asset][] => (one ? [[one.did, one]] : [])))
    },
    { keep: true },
  )
  const paid = useResource(
    orders.map(({ tx }) => tx).join(),
    async (signal) => {
      const found = await withPayments(contextNow(), orders, signal)
      return new Map(orders.flatMap((order, at) => (found[at]?.paid ? [[order, found[at].paid] as const] : [])))
    },
    { keep: true },
  )
  return (
    <>
      {told.error !== undefined && <Problem error={told.error} onRetry={told.reload} />}
      <ul class="rows">
        {orders.map((order) => (
          <OrderRow
            key={order.tx}
            order={order}
            asset={told.value?.get(order.did)}
            paid={paid.value?.get(order)}
            loading={told.loading}
          />
        ))}
      </ul>
    </>
  )
}
