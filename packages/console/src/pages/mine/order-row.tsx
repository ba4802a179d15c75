import type { Asset, AssetFile, Order, Paid } from '@tidegate/client'
import type { ComponentChildren } from 'preact'
import { shortDid } from '../../format/address.js'
import { FileIcon } from '../../icons/file-icon.js'
import { ButtonLink } from '../../parts/button.js'
import { PaidText } from '../../parts/payments.js'
import { Skeleton } from '../../parts/states.js'
import { Words } from '../../parts/texts/words.js'
import { Time } from '../../parts/values.js'
import { pathOf } from '../../state/page/route.js'
import { isOffered, shownState } from '../../state/shown-state.js'
import { mineText } from '../../text/mine.js'
import { text } from '../../text.js'
import { Download } from '../asset/download.js'
import { FileBrowser } from '../asset/file-browser.js'
import { NewVersion } from '../asset/new-version.js'

interface RowProps {
  order: Order
  asset: Asset | undefined
  paid: Paid | undefined
  loading: boolean
}

/** Folds several files away, so that the list stays a list of orders. */
function Files({ many, children }: { many: number; children: ComponentChildren }) {
  if (many < 2) return <>{children}</>
  return (
    <details>
      <summary>{mineText.files(many)}</summary>
      {children}
    </details>
  )
}

/** Returns a file of the service. A file without a description may still be available. */
const fileAt = (files: readonly AssetFile[], index: number): AssetFile =>
  files.find((file) => file.index === index) ?? { index, available: true }

/** An order of this account: its end and its files. */
export function OrderRow({ order, asset, paid, loading }: RowProps) {
  const { tx, did, service: id, started, file: only, expires, refused } = order
  const words = mineText
  const found = asset?.services.find((one) => one.id === id)
  const service = found && only !== undefined ? { ...found, files: [fileAt(found.files, only)] } : found
  const ended = expires !== undefined && expires.getTime() < Date.now()
  const takenOff = asset && !isOffered(asset)
  return (
    <li class="order-row" data-did={did}>
      <FileIcon name={service?.files[0]?.name} type={service?.files[0]?.contentType} />
      <div class="asset-row-name">
        <a href={pathOf({ page: 'asset', did })}>
          <strong>
            {asset?.name || order.name ? (
              <Words text={asset?.name || order.name} most={120} />
            ) : (
              <span class="mono">{shortDid(did)}</span>
            )}
          </strong>
        </a>
        <p class="small muted">
          {words.ordered} <Time time={started} /> ·{' '}
          {refused !== undefined ? (
            <>
              {words.unusable} <Words text={refused} most={300} />
            </>
          ) : expires === undefined ? (
            words.validForever
          ) : (
            <>
              {ended ? words.ended : words.validUntil} <Time time={expires} as="minute" />
            </>
          )}
        </p>
        <p class="small row wrap">
          {paid && <PaidText paid={paid} />}
          <a href={pathOf({ page: 'receipt', order: tx })}>{text.receipt.title}</a>
        </p>
      </div>
      <div class="order-row-actions">
        {loading && !asset && !ended && <Skeleton lines={1} />}
        {takenOff && <span class={`badge state-${shownState(asset)}`}>{text.asset.states[shownState(asset)]}</span>}
        {ended && !takenOff && <ButtonLink href={pathOf({ page: 'asset', did })}>{words.again}</ButtonLink>}
        {asset && service && !ended && !takenOff && refused === undefined && (
          <>
            <NewVersion did={did} service={service} since={started} />
            <Files many={service.files.length}>
              <Download asset={asset} service={service} order={tx} />
              {service.files.length > 1 && <FileBrowser asset={asset} service={service} order={tx} />}
            </Files>
          </>
        )}
      </div>
    </li>
  )
}
