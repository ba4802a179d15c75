import { type Asset, asset } from '@tidegate/client'
import { useState } from 'preact/hooks'
import type { Hex } from 'viem'
import { plainLine } from '../../format/hostile.js'
import { Icon } from '../../icons/icon.js'
import { ButtonLink } from '../../parts/button.js'
import { lazily } from '../../parts/lazily.js'
import { Page } from '../../parts/page.js'
import { Empty, Failed, Notice, Skeleton } from '../../parts/states.js'
import { Description } from '../../parts/texts/description.js'
import { Words } from '../../parts/texts/words.js'
import { queryOf, searchOf } from '../../state/catalogue-query.js'
import { isReadable } from '../../state/chains.js'
import { config } from '../../state/config.js'
import { contextNow } from '../../state/context.js'
import { pathOf } from '../../state/page/route.js'
import { useResource } from '../../state/resource.js'
import { shownState } from '../../state/shown-state.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import { walletState } from '../../wallet/wallet.js'
import { Byline, Facts } from './facts.js'
import { Files } from './files.js'
import { Order } from './order.js'

const LookInside = lazily(() => import('./look-inside.js').then(({ LookInside }) => LookInside), { isPart: true })

/** The page of one asset, with one button for the next step. */
export function AssetPage({ did }: { did: string }) {
  const wallet = useStore(walletState)
  const account = wallet.status === 'connected' ? wallet.address : ''
  // another account or a readable chain may change the prices
  const readable = config().chains.some(({ chainId }) => isReadable(chainId))
  const { value, error, reload } = useResource(
    `${did}/${account}/${readable}`,
    (signal) => asset(contextNow(), did, { signal }),
    { keep: true },
  )
  if (error !== undefined && value?.did !== did) return <NotShown error={error} onRetry={reload} />
  if (!value || value.did !== did) return <Loading />
  return <Shown asset={value} reload={reload} />
}

function Shown({ asset, reload }: { asset: Asset; reload: () => void }) {
  const { name, description, tags, services } = asset
  const state = shownState(asset)
  const first = services.find(({ type }) => type === 'access') ?? services[0]
  const [chosen, setChosen] = useState(first?.id)
  const [order, setOrder] = useState<Hex>()
  const service = services.find(({ id }) => id === chosen) ?? first
  const { asset: words } = text
  return (
    <Page title={plainLine(name) || words.title} own>
      <a class="back" href={pathOf({ page: 'catalogue' })}>
        <Icon name="left" /> {words.back}
      </a>
      <div class="asset">
        <header class="asset-head">
          <p class="row small">
            <span class={`badge state-${state}`}>{words.states[state]}</span>
            {asset.type && (
              <span class="muted">
                <Words text={asset.type} most={30} />
              </span>
            )}
          </p>
          <h1>
            <Words text={name || text.untitled} most={200} />
          </h1>
          <Byline asset={asset} />
          {tags.length > 0 && (
            <ul class="tags" aria-label={words.tags}>
              {tags.map((tag) => (
                <li key={tag}>
                  <a class="tag" href={pathOf({ page: 'catalogue' }) + searchOf({ ...queryOf(''), tags: [tag] })}>
                    <Words text={tag} most={40} />
                  </a>
                </li>
              ))}
            </ul>
          )}
        </header>
        <aside class="asset-side" aria-label={words.price}>
          <Order asset={asset} service={service} choose={setChosen} onOrder={setOrder} reload={reload} />
        </aside>
        <div class="asset-main">
          {state === 'unlisted' && <Notice>{words.stateHints.unlisted}</Notice>}
          <section class="panel" aria-labelledby="about">
            <h2 id="about">{words.about}</h2>
            {description ? <Description text={description} /> : <p class="muted">{words.noDescription}</p>}
          </section>
          {asset.links.length > 0 && <LookInside links={asset.links} />}
          <Facts asset={asset} service={service} />
          {service && <Files key={service.id} asset={asset} service={service} order={order} />}
        </div>
      </div>
    </Page>
  )
}

function Loading() {
  return (
    <Page title={text.asset.title} own>
      <div class="asset" aria-busy="true">
        <div class="asset-head">
          <Skeleton lines={2} block />
        </div>
        <div class="asset-side panel">
          <Skeleton lines={4} />
        </div>
        <div class="asset-main panel">
          <Skeleton lines={6} />
        </div>
      </div>
    </Page>
  )
}

/** The provider's reason for a too large document, which its publisher must see. */
const UNUSABLE = /Its document is not usable: .+/

function NotShown({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { code, message = '' } = error as { code?: string; message?: string }
  const missing = code === 'ASSET_NOT_FOUND' || code === 'DID_NOT_RESOLVED' || code === 'BAD_DID'
  return (
    <Page title={text.asset.title} own>
      {code === 'TAKEN_DOWN' ? (
        <Empty alone picture="search" title={text.asset.takenDown} hint={message}>
          <ButtonLink href={pathOf({ page: 'catalogue' })}>{text.asset.back}</ButtonLink>
        </Empty>
      ) : missing ? (
        <Empty
          alone
          picture="search"
          title={text.asset.notFound}
          hint={UNUSABLE.exec(message)?.[0] ?? text.asset.notFoundHint}
        >
          <ButtonLink href={pathOf({ page: 'catalogue' })}>{text.asset.back}</ButtonLink>
        </Empty>
      ) : (
        <Failed alone title={text.asset.failed} error={error} onRetry={onRetry} />
      )}
    </Page>
  )
}
