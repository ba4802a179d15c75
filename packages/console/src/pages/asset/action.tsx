import type { Asset, AssetService, Quote } from '@tidegate/client'
import { useState } from 'preact/hooks'
import { stepText } from '../../errors.js'
import { Button } from '../../parts/button.js'
import { SellerText } from '../../parts/seller.js'
import { Notice, Problem } from '../../parts/states.js'
import { TransactionRow } from '../../parts/transactions.js'
import { priceLine } from '../../parts/values.js'
import { purchase as buyNow, type Purchase } from '../../state/buying/purchases.js'
import { chainOf } from '../../state/config.js'
import { entries } from '../../state/journal.js'
import { choosingWallet } from '../../state/page/overlays.js'
import type { NextStep } from '../../state/publishing/next-step.js'
import { sellerNow } from '../../state/sellers.js'
import { shownState } from '../../state/shown-state.js'
import { useStore } from '../../state/store.js'
import { termsText } from '../../text/terms.js'
import { text } from '../../text.js'
import { switchChain } from '../../wallet/networks.js'
import { walletState } from '../../wallet/wallet.js'
import { Credentials } from './credentials.js'
import { Download } from './download.js'
import { FundsPanel } from './funds.js'
import { asksCredentials, isInvitedOnly } from './invited.js'
import { PayOnce } from './pay-once.js'

interface ActionProps {
  asset: Asset
  service: AssetService
  next: NextStep
  purchase: Purchase | undefined
  /** SHA-256 of the accepted terms. */
  accepted: string | undefined
  /** Loads asset, order and price again. */
  again: () => void
}

/** The button of the next step, with its state and its transactions. */
export function Action({ asset, service, next, purchase, accepted, again }: ActionProps) {
  const { asset: words } = text
  const failure = purchase?.phase === 'failed' ? purchase.error : undefined
  const sent = useStore(entries)
    .filter((entry) => entry.did === asset.did && entry.kind === 'buy')
    .slice(0, 4)
  return (
    <div class="stack">
      <NextAction
        asset={asset}
        service={service}
        next={next}
        accepted={accepted}
        again={again}
        step={purchase?.phase === 'running' ? purchase.step : ''}
      />
      {failure !== undefined && next.step !== 'download' && next.step !== 'buying' && <Problem error={failure} />}
      {next.step !== 'download' && sent.length > 0 && (
        <ul class="transactions" aria-label={text.transactions.title}>
          {sent.map((entry) => (
            <TransactionRow key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
      {next.step === 'connect' && <p class="muted small">{words.connectHint}</p>}
    </div>
  )
}

function NextAction({ asset, service, next, accepted, again, step }: Omit<ActionProps, 'purchase'> & { step: string }) {
  const { asset: words } = text
  switch (next.step) {
    case 'connect':
      return (
        <Button kind="primary" size="large" icon="wallet" onClick={() => choosingWallet.set(true)}>
          {words[connectWords(asset, service)]}
        </Button>
      )
    case 'switch':
      return <Switch chainId={next.chainId} />
    case 'check':
      return <Busy label={words.check} />
    case 'buying':
      return <Busy label={step ? `${stepText(step)}…` : words.buying} hint={words.confirmInWallet} />
    case 'wait':
      return (
        <Busy label={next.entry.state === 'asked' ? words.confirmInWallet : words.waiting} hint={words.waitingHint} />
      )
    case 'unsure':
      return <Notice kind="warn">{text.transactions.unsureHint}</Notice>
    case 'present':
      return <Credentials quote={next.quote} />
    case 'buy':
      return <Buy asset={asset} service={service} quote={next.quote} accepted={accepted} />
    case 'download':
      return (
        <>
          <Notice kind="good">
            <p>
              <strong>{words.have}</strong>
            </p>
            <p class="small">{words.haveHint}</p>
          </Notice>
          <Download asset={asset} service={service} order={next.order} />
        </>
      )
    case 'unavailable':
      return (
        <Notice kind="warn">
          {next.why === 'state' ? (
            words.stateHints[shownState(asset)]
          ) : (
            <>
              <p>{words.noOffer}</p>
              <p class="small">{words.noOfferHint}</p>
            </>
          )}
        </Notice>
      )
    case 'denied':
      // the notice above the price says who may buy
      return null
    case 'failed':
      return <Problem error={next.error} onRetry={again} />
  }
}

function connectWords(asset: Asset, service: AssetService): 'connect' | 'connectFree' | 'connectInvited' {
  if (isInvitedOnly({ asset, service })) return 'connectInvited'
  const { type, total } = service.price
  return type === 'free' && total.length === 0 ? 'connectFree' : 'connect'
}

function Busy({ label, hint }: { label: string; hint?: string }) {
  return (
    <>
      <Button kind="primary" size="large" busy>
        {label}
      </Button>
      {hint && <p class="muted small">{hint}</p>}
    </>
  )
}

interface BuyProps extends Pick<ActionProps, 'asset' | 'service' | 'accepted'> {
  quote: Quote
}

function Buy({ asset, service, quote, accepted }: BuyProps) {
  const { asset: words } = text
  const { price, renews, held, unusable } = quote
  const isOpen = asset.terms === undefined || accepted === asset.terms.sha256
  const label = renews
    ? words.renew(priceLine(price))
    : price.total.length === 0
      ? words.getFree
      : words.buy(priceLine(price))
  return (
    <>
      {unusable && <Notice kind="warn">{words.unusable}</Notice>}
      {renews && <p class="small">{words.renews}</p>}
      {held && <p class="small">{words.held}</p>}
      <p class="small">
        {text.seller.title}: <SellerText seller={sellerNow(asset)} author={asset.author} />
      </p>
      <FundsPanel quote={quote} />
      <Button
        kind="primary"
        size="large"
        disabled={!isOpen}
        onClick={() => void buyNow(asset, quote, asset.terms?.sha256)}
      >
        {label}
      </Button>
      {!asksCredentials({ asset, service }) && (
        <PayOnce quote={quote} accepted={asset.terms?.sha256} disabled={!isOpen} />
      )}
      {!isOpen && <p class="muted small">{termsText.acceptFirst}</p>}
    </>
  )
}

function Switch({ chainId }: { chainId: number }) {
  const wallet = useStore(walletState)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const name = chainOf(chainId)?.name ?? text.wallet.chain(chainId)
  const change = async () => {
    if (wallet.status !== 'connected') return
    setBusy(true)
    setError(undefined)
    await switchChain(wallet.wallet.provider, chainId).catch(setError)
    setBusy(false)
  }
  return (
    <>
      <p class="small">{text.asset.switchHint(name)}</p>
      <Button kind="primary" size="large" icon="swap" busy={busy} onClick={change}>
        {busy ? text.wallet.switching : text.wallet.switchTo(name)}
      </Button>
      {error !== undefined && <Problem error={error} />}
    </>
  )
}
