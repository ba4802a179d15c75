import { type Receipt, receipt } from '@tidegate/client'
import type { ComponentChildren } from 'preact'
import type { Address, Hex } from 'viem'
import { Button } from '../../parts/button.js'
import { Page } from '../../parts/page.js'
import { PaymentList } from '../../parts/payments.js'
import { Failed, Skeleton } from '../../parts/states.js'
import { Sha256 } from '../../parts/texts/external-link.js'
import { Words } from '../../parts/texts/words.js'
import { Time } from '../../parts/values.js'
import { keptReceipt } from '../../state/buying/kept-receipts.js'
import { save } from '../../state/buying/sinks.js'
import { chainOf } from '../../state/config.js'
import { contextNow } from '../../state/context.js'
import { pathOf } from '../../state/page/route.js'
import { useResource } from '../../state/resource.js'
import { useStore } from '../../state/store.js'
import { mineText } from '../../text/mine.js'
import { termsText } from '../../text/terms.js'
import { text } from '../../text.js'
import { walletState } from '../../wallet/wallet.js'

/** The receipt of an order, to print. */
export function ReceiptPage({ order }: { order: Hex }) {
  const wallet = useStore(walletState)
  const { receipt: words } = text
  const account = wallet.status === 'connected' ? wallet.address : ''
  const found = useResource(`${order} ${account}`, (signal) => receipt(contextNow(), order, { signal }))
  return (
    <Page title={words.title} heading={found.value && <Button onClick={() => print()}>{words.print}</Button>}>
      {found.error !== undefined ? (
        <Failed title={words.failed} error={found.error} onRetry={found.reload} />
      ) : found.value ? (
        <Printed receipt={found.value} />
      ) : (
        <Skeleton lines={8} block />
      )}
    </Page>
  )
}

/** What the account says that took a payment and ordered, to keep. */
function SignedReceipt({ order, payer }: { order: Hex; payer: Address }) {
  const { receipt: words } = text
  const { value: signed } = useResource(`${order} ${payer}`, () => keptReceipt(order, payer))
  if (!signed) return null
  const file = () => new Blob([JSON.stringify(signed, null, 2)], { type: 'application/json' })
  return (
    <>
      <p class="muted small">{words.signed}</p>
      <Button onClick={() => save(file(), `receipt-${order.slice(0, 10)}.json`)}>{words.saveSigned}</Button>
    </>
  )
}

function Printed({ receipt }: { receipt: Receipt }) {
  const { tx, chainId, did, name, service, serviceName, publisher, consumer, payer, time, renews, expires, terms } =
    receipt
  const { receipt: words } = text
  return (
    <section class="panel receipt" data-order={tx}>
      <dl class="receipt-facts">
        <Fact label={words.asset}>
          <a href={pathOf({ page: 'asset', did })}>{name ? <Words text={name} most={200} /> : mineText.noName}</a>
        </Fact>
        <Fact label={words.did} mono>
          {did}
        </Fact>
        {service !== undefined && (
          <Fact label={words.service}>
            <Words text={serviceName ?? service} most={200} />
          </Fact>
        )}
        {publisher && (
          <Fact label={words.receivers.publisher} mono>
            {publisher}
          </Fact>
        )}
        <Fact label={words.buyer} mono>
          {consumer}
        </Fact>
        {payer !== consumer && (
          <Fact label={words.payer} mono>
            {payer}
          </Fact>
        )}
        <Fact label={words.time}>
          <Time time={time} as="minute" />
        </Fact>
        <Fact label={mineText.validUntil}>
          {expires ? (
            <Time time={expires} as="minute" />
          ) : service === undefined ? (
            text.asset.notTold
          ) : (
            mineText.validForever
          )}
        </Fact>
        {renews && (
          <Fact label={words.renews} mono>
            {renews}
          </Fact>
        )}
        <Fact label={words.transaction} mono>
          {tx}
        </Fact>
        {terms && (
          <Fact label={termsText.accepted}>
            <Sha256 sha256={terms.sha256} />
            {terms.isCurrent === false && <p class="muted small">{termsText.outdated}</p>}
          </Fact>
        )}
        <Fact label={text.asset.chain}>{chainOf(chainId)?.name ?? text.wallet.chain(chainId)}</Fact>
      </dl>
      <PaymentList paid={receipt} />
      <SignedReceipt order={tx} payer={payer} />
    </section>
  )
}

function Fact({ label, mono = false, children }: { label: string; mono?: boolean; children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd class={mono ? 'mono' : ''}>{children}</dd>
    </div>
  )
}
