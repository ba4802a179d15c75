import { type Asset, published } from '@tidegate/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Address } from 'viem'
import { ButtonLink } from '../../parts/button.js'
import { Empty, Failed, Notice, Skeleton } from '../../parts/states.js'
import { isReadable } from '../../state/chains.js'
import { reading } from '../../state/context.js'
import { pathOf } from '../../state/page/route.js'
import { useResource } from '../../state/resource.js'
import { type Sale, salesOf } from '../../state/sales.js'
import { takenOver } from '../../state/taken-over.js'
import { mineText } from '../../text/mine.js'
import { text } from '../../text.js'
import { AssetRow } from './asset-row.js'
import { SalesCharts } from './charts.js'
import { EditDialog } from './edit-dialog.js'
import { StateDialog } from './state-dialog.js'

/** The dialog above the list. */
type Open = { what: 'edit'; asset: Asset } | { what: 'state'; asset: Asset; wanted: 'active' | 'revoked' }
type IsThere = (told: Asset) => boolean

export function MyAssets({ owner }: { owner: Address }) {
  const words = mineText
  const found = useResource(owner, (signal) => published(reading(), owner, { signal }))
  const [open, setOpen] = useState<Open>()
  const { assets = [], atLeast = false, incomplete = false } = found.value ?? {}
  const { changing, follow } = useChanging(found.reload)
  const sold = useSales(assets)
  if (found.error !== undefined) return <Failed title={words.failedAssets} error={found.error} onRetry={found.reload} />
  if (!found.value) return <Skeleton lines={8} block />
  if (assets.length === 0)
    return (
      <div class="stack">
        {incomplete && <Notice>{words.hiddenMissing}</Notice>}
        <Empty picture="publish" title={words.noAssets} hint={words.noAssetsHint}>
          <ButtonLink kind="primary" icon="upload" href={pathOf({ page: 'publish' })}>
            {text.nav.publish}
          </ButtonLink>
        </Empty>
      </div>
    )
  const close = (isThere?: IsThere) => {
    setOpen(undefined)
    if (open && isThere) void follow(open.asset.did, isThere)
  }
  return (
    <div class="stack">
      <SalesCharts sales={sold.value?.sales} incomplete={sold.value?.incomplete ?? false} error={sold.error} />
      {incomplete && <Notice>{words.hiddenMissing}</Notice>}
      {atLeast && <Notice>{words.moreAssets(assets.length)}</Notice>}
      <ul class="rows">
        {assets.map((asset) => (
          <AssetRow
            key={asset.did}
            asset={asset}
            changing={changing.includes(asset.did)}
            sales={salesFor(asset, sold.value?.sales ?? [])}
            edit={() => setOpen({ what: 'edit', asset })}
            change={(wanted) => setOpen({ what: 'state', asset, wanted })}
          />
        ))}
      </ul>
      {open?.what === 'edit' && <EditDialog did={open.asset.did} onClose={close} />}
      {open?.what === 'state' && <StateDialog asset={open.asset} wanted={open.wanted} onClose={close} />}
    </div>
  )
}

/** DIDs whose newest change the index does not show yet. `follow` waits for the index, then reloads. */
function useChanging(reload: () => void) {
  const [changing, setChanging] = useState<string[]>([])
  const left = useRef(new AbortController())
  useEffect(() => () => left.current.abort(), [])
  const follow = async (did: string, isThere: IsThere) => {
    setChanging((now) => [...now, did])
    await takenOver(did, isThere, left.current.signal)
    setChanging((now) => now.filter((one) => one !== did))
    reload()
  }
  return { changing, follow }
}

function useSales(assets: readonly Asset[]) {
  const chains = [...new Set(assets.map(({ chainId }) => chainId))].filter(isReadable)
  const datatokens = (chainId: number) =>
    assets
      .filter((one) => one.chainId === chainId)
      .flatMap(({ services }) => services.map(({ datatoken }) => datatoken))
  return useResource(chains.flatMap(datatokens).join(), async () => {
    const all = await Promise.all(chains.map((chainId) => salesOf(chainId, datatokens(chainId))))
    return { sales: all.flatMap(({ sales }) => sales), incomplete: all.some(({ incomplete }) => incomplete) }
  })
}

function salesFor({ services }: Asset, sales: readonly Sale[]): Sale[] {
  const own = new Set(services.map(({ datatoken }) => datatoken.toLowerCase()))
  return sales.filter(({ datatoken }) => own.has(datatoken.toLowerCase()))
}
