import { search } from '@tidegate/client'
import { shortAddress } from '@tidegate/protocol/values'
import { useMemo } from 'preact/hooks'
import type { Address } from 'viem'
import { Icon } from '../../icons/icon.js'
import { ButtonLink } from '../../parts/button.js'
import { CopyButton } from '../../parts/copy.js'
import { Page } from '../../parts/page.js'
import { VerifiedMark } from '../../parts/seller.js'
import { Empty, Failed, Skeleton } from '../../parts/states.js'
import { Identicon } from '../../parts/wallet/identicon.js'
import { PAGE_SIZE, queryOf } from '../../state/catalogue-query.js'
import { config } from '../../state/config.js'
import { reading } from '../../state/context.js'
import { pathOf, place } from '../../state/page/route.js'
import { useResource } from '../../state/resource.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import { useMissingPrices } from '../catalogue/catalogue.js'
import { Cards, Pager, useTurning } from '../catalogue/results.js'

/** The assets that an account has published, the newest first. */
export function SellerPage({ account }: { account: Address }) {
  const { page } = queryOf(useStore(place).search)
  const { seller: words, catalogue } = text
  const name = config().verifiedPublishers.get(account)
  const key = `${account}/${page}`
  const found = useResource(
    key,
    (signal) => search(reading(), { publisher: account, sort: 'newest', page, size: PAGE_SIZE, signal }),
    { keep: true },
  )
  const { value, error, loading, reload } = found
  useMissingPrices(key, found)
  const { heading, turn } = useTurning(loading)
  const cards = useMemo(() => value && <Cards assets={value.assets} />, [value])
  const to = (at: number) => pathOf({ page: 'seller', account }) + (at > 1 ? `?page=${at}` : '')
  return (
    <Page title={name ?? `${words.title} ${shortAddress(account)}`} own>
      <a class="back" href={pathOf({ page: 'catalogue' })}>
        <Icon name="left" /> {text.asset.back}
      </a>
      <header class="seller-head">
        <h1>{name ?? <span class="mono">{shortAddress(account)}</span>}</h1>
        <p class="row wrap">
          {name !== undefined && <VerifiedMark />}
          <span class="address">
            <Identicon address={account} />
            <span class="mono small break">{account}</span>
            <CopyButton value={account} label={`${text.copy} ${words.title}`} />
          </span>
        </p>
        <p class="muted small">{name === undefined ? words.unknown : words.verifiedBy(config().operator?.name)}</p>
      </header>
      {error !== undefined ? (
        <Failed title={words.failed} error={error} onRetry={reload} />
      ) : !value ? (
        <Skeleton lines={8} block />
      ) : value.assets.length === 0 && !loading ? (
        <Empty picture="empty" title={words.nothing} hint={words.nothingHint}>
          <ButtonLink href={pathOf({ page: 'catalogue' })}>{text.asset.back}</ButtonLink>
        </Empty>
      ) : (
        <section class={loading ? 'results stale' : 'results'} aria-busy={loading} aria-label={catalogue.title}>
          <h2 ref={heading} tabIndex={-1} class="results-count muted small">
            {catalogue.results(value.total, value.atLeast)}
          </h2>
          {cards}
          <Pager value={value} page={page} to={to} onTurn={turn} />
        </section>
      )}
    </Page>
  )
}
