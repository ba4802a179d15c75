import type { Asset } from '@tidegate/client'
import { shortDid } from '../../format/address.js'
import { summed } from '../../format/amount.js'
import { plainLine } from '../../format/hostile.js'
import { FileIcon, guessedName } from '../../icons/file-icon.js'
import { Button } from '../../parts/button.js'
import { Amounts } from '../../parts/payments.js'
import { Words } from '../../parts/texts/words.js'
import { PriceText } from '../../parts/values.js'
import { pathOf } from '../../state/page/route.js'
import type { Sale } from '../../state/sales.js'
import { shownState } from '../../state/shown-state.js'
import { mineText } from '../../text/mine.js'
import { text } from '../../text.js'

interface RowProps {
  asset: Asset
  /** Whether the index does not show the newest change yet. */
  changing: boolean
  sales: Sale[]
  edit: () => void
  /** Asks for another state. */
  change: (wanted: 'active' | 'revoked') => void
}

/** An asset of this account with its orders, income and actions. */
export function AssetRow({ asset, changing, sales, edit, change }: RowProps) {
  const { did, name, state, services, orders, tags, type } = asset
  const words = mineText
  const revoked = state !== 'active' && state !== 'unlisted'
  const label = plainLine(name, 60) || shortDid(did)
  const [service] = services
  return (
    <li class="asset-row" data-did={did}>
      <FileIcon name={guessedName(tags, type)} />
      <div class="asset-row-name">
        <a href={pathOf({ page: 'asset', did })}>
          <strong>{name ? <Words text={name} most={120} /> : <span class="mono">{shortDid(did)}</span>}</strong>
        </a>
        <p class="row small wrap">
          <span class={`badge state-${shownState(asset)}`}>{text.asset.states[shownState(asset)]}</span>
          {service && <PriceText price={service.price} />}
          {changing && (
            <span class="row muted" role="status">
              <span class="spinner" aria-hidden="true" /> {words.changing}
            </span>
          )}
        </p>
      </div>
      <Numbers orders={Math.max(orders, sales.length)} sales={sales} />
      <div class="row asset-row-actions">
        {!revoked && (
          <Button size="small" icon="edit" label={`${words.edit}: ${label}`} onClick={edit}>
            {words.edit}
          </Button>
        )}
        {state === 'unlisted' && (
          <Button size="small" icon="retry" label={`${words.restore}: ${label}`} onClick={() => change('active')}>
            {words.restore}
          </Button>
        )}
        <Button
          size="small"
          kind={revoked ? 'secondary' : 'quiet'}
          icon={revoked ? 'retry' : 'lock'}
          label={`${revoked ? words.restore : words.revoke}: ${label}`}
          onClick={() => change(revoked ? 'active' : 'revoked')}
        >
          {revoked ? words.restore : words.revoke}
        </Button>
      </div>
    </li>
  )
}

function Numbers({ orders, sales }: { orders: number; sales: readonly Sale[] }) {
  const words = mineText
  const income = summed(sales.flatMap(({ income }) => (income ? [income] : [])))
  return (
    <dl class="asset-row-numbers">
      <div>
        <dt>{text.asset.orders}</dt>
        <dd>{orders}</dd>
      </div>
      <div>
        <dt>{words.income}</dt>
        <dd>
          {income.length === 0 && <span class="muted">{words.noIncome}</span>}
          <Amounts amounts={income} whole={false} />
        </dd>
      </div>
    </dl>
  )
}
