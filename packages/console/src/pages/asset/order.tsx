import { type Asset, type AssetService, quote } from '@tidegate/client'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { Hex } from 'viem'
import { plainLine } from '../../format/hostile.js'
import { Choice } from '../../parts/fields/field.js'
import { Notice } from '../../parts/states.js'
import { Words } from '../../parts/texts/words.js'
import { PriceText, priceLine } from '../../parts/values.js'
import { forgetRefused, presentations } from '../../state/buying/credentials.js'
import { purchaseKey, purchases } from '../../state/buying/purchases.js'
import { isReadable } from '../../state/chains.js'
import { contextNow } from '../../state/context.js'
import { entries, openPurchase } from '../../state/journal.js'
import { nextStep } from '../../state/publishing/next-step.js'
import { useResource } from '../../state/resource.js'
import { shownState } from '../../state/shown-state.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import { walletState } from '../../wallet/wallet.js'
import { Action } from './action.js'
import { Invited } from './invited.js'
import { NewVersion } from './new-version.js'
import { PricePanel } from './price.js'
import { TermsPanel } from './terms.js'

interface OrderProps {
  asset: Asset
  service: AssetService | undefined
  choose: (service: string) => void
  /** Called with the valid order of this account for the service, or without one. */
  onOrder: (order: Hex | undefined) => void
  reload: () => void
}

/** The side of an asset's page: its price and the next step. */
export function Order({ asset, service, choose, onOrder, reload }: OrderProps) {
  const { services } = asset
  const [accepted, setAccepted] = useState<string>()
  return (
    <div class="panel order">
      {services.length > 1 && service && (
        <Choice
          label={text.asset.chooseService}
          name="service"
          value={service.id}
          options={services.map(({ id, name, price }) => ({
            value: id,
            label: plainLine(name ?? id, 60),
            hint: price.type === 'unavailable' ? text.notForSale : priceLine(price),
          }))}
          onChange={choose}
        />
      )}
      {services.length === 1 && service?.name && (
        <p class="small muted">
          <Words text={service.name} most={80} />
        </p>
      )}
      {service ? (
        <Ordering
          key={service.id}
          asset={asset}
          service={service}
          accepted={accepted}
          onAccept={setAccepted}
          onOrder={onOrder}
          reload={reload}
        />
      ) : (
        <Without asset={asset} />
      )}
    </div>
  )
}

function Without({ asset }: { asset: Asset }) {
  return <Notice kind="warn">{text.asset.stateHints[shownState(asset)] || text.asset.noOfferHint}</Notice>
}

interface OrderingProps {
  asset: Asset
  service: AssetService
  /** SHA-256 of the accepted terms. */
  accepted: string | undefined
  onAccept: (sha256: string | undefined) => void
  onOrder: OrderProps['onOrder']
  reload: () => void
}

function Ordering({ asset, service, accepted, onAccept, onOrder, reload }: OrderingProps) {
  const { did, chainId } = asset
  const wallet = useStore(walletState)
  const connected = wallet.status === 'connected' ? wallet : undefined
  const account = connected?.address ?? ''
  const purchase = useStore(purchases)[purchaseKey(account, did, service.id)]
  const open = openPurchase(useStore(entries), { did, service: service.id, from: account })
  const readable = isReadable(chainId)
  const buying = purchase?.phase === 'running'
  // reloaded for another account, when a transaction of this asset is settled, and with presented credentials
  const presented = useStore(presentations)
  const key = connected && readable ? `${account}/${open?.id ?? ''}/${open?.state ?? ''}/${buying}/${presented}` : ''
  const quoted = useResource(key, async () =>
    key === '' || buying ? undefined : quote(contextNow(), did, { service: service.id }),
  )
  const bought = purchase?.phase === 'done' ? purchase.order : undefined
  const failure = purchase?.phase === 'failed' ? (purchase.error as { code?: string }).code : undefined
  useEffect(() => {
    if (failure === 'TERMS_CHANGED' || failure === 'TERMS_NOT_ACCEPTED') reload()
  }, [purchase])
  // before the paint: the quote without the session follows
  useLayoutEffect(() => {
    forgetRefused(quoted.error, did, service.id)
  }, [quoted.error])
  // reloads the number of orders and the state, when the order changes
  useEffect(() => {
    if (bought) reload()
  }, [bought])
  const next = nextStep({ asset, wallet: connected, readable, quote: quoted, open, buying, bought })
  const owned = next.step === 'download' ? next.order : undefined
  // another service has another order, or none
  useEffect(() => {
    onOrder(owned)
    return () => onOrder(undefined)
  }, [owned])
  const price = quoted.value && !quoted.value.order ? quoted.value.price : service.price
  return (
    <>
      <Invited asset={asset} service={service} next={next} />
      {!quoted.value?.order && !owned && <PricePanel price={price} service={service} />}
      {asset.terms && (
        <TermsPanel
          key={asset.terms.sha256}
          did={did}
          terms={asset.terms}
          accepted={accepted}
          onAccept={next.step === 'buy' ? onAccept : undefined}
          onChanged={reload}
        />
      )}
      <Action
        asset={asset}
        service={service}
        next={next}
        purchase={purchase}
        accepted={accepted}
        again={() => {
          quoted.reload()
          reload()
        }}
      />
      {owned && <NewVersion did={did} service={service} />}
      {owned && (
        <p class="muted small">
          {text.asset.anotherOrder} <PriceText price={price} whole />
        </p>
      )}
    </>
  )
}
