import { grouped } from '../../format/amount.js'
import { AddressText } from '../../parts/wallet/address.js'
import { chainOf } from '../../state/config.js'
import type { ChainStatus } from '../../state/status.js'
import { statusText } from '../../text/status.js'
import { text } from '../../text.js'

/** The state of one chain and its index. */
export function ChainPanel({ chain, signer }: { chain: ChainStatus; signer: string | undefined }) {
  const { chainId, block, head, age, lag, ready } = chain
  const words = statusText
  const known = chainOf(chainId)
  const share = block === null || head === null || head === 0 ? 1 : Math.min(1, block / head)
  const number = (value: number | null) => (value === null ? words.notKnown : grouped(String(value)))
  return (
    <section class="panel" aria-labelledby={`chain-${chainId}`}>
      <header class="row between">
        <h2 id={`chain-${chainId}`}>{known?.name ?? text.wallet.chain(chainId)}</h2>
        <span class={ready ? 'badge state-active' : 'badge warn'}>{ready ? words.good : words.trouble}</span>
      </header>
      <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <rect class="bar-ground" width="100" height="4" />
        <rect class="bar-done" width={share * 100} height="4" />
      </svg>
      <dl class="facts">
        <Fact label={words.head} value={number(head)} />
        <Fact label={words.indexed} value={number(block)} />
        <Fact label={words.lag} value={lag === null ? words.notKnown : words.blocks(lag)} />
        <Fact label={words.headAge} value={age === null ? words.notKnown : words.ago(Math.floor(age / 1000))} />
        <Fact label={words.reads} value={known?.rpcUrl ? words.readsNode : words.readsWallet} />
        {signer && (
          <div>
            <dt>{words.providerAddress}</dt>
            <dd>
              <AddressText address={signer} />
            </dd>
          </div>
        )}
      </dl>
    </section>
  )
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  )
}
