import type { Asset, AssetService } from '@tidegate/client'
import type { ComponentChildren } from 'preact'
import { shortDid } from '../../format/address.js'
import { CopyButton } from '../../parts/copy.js'
import { SellerText } from '../../parts/seller.js'
import { Notice } from '../../parts/states.js'
import { Words } from '../../parts/texts/words.js'
import { Time } from '../../parts/values.js'
import { AddressText } from '../../parts/wallet/address.js'
import { chainOf } from '../../state/config.js'
import { sellerNow } from '../../state/sellers.js'
import { text } from '../../text.js'
import { LicenseDocuments } from './terms.js'

/** Seller, author and licence, which come before everything else. */
export function Byline({ asset }: { asset: Asset }) {
  const { asset: words } = text
  const { author, license } = asset
  const seller = sellerNow(asset)
  return (
    <>
      <dl class="byline small">
        <Fact label={text.seller.title}>
          <span class="address">
            <SellerText seller={seller} />
            <CopyButton value={seller.account} label={`${text.copy} ${text.seller.title}`} />
          </span>
        </Fact>
        <Fact label={words.author}>{author ? <Words text={author} most={120} /> : words.notTold}</Fact>
        <Fact label={words.license}>{license ? <Words text={license} /> : words.notTold}</Fact>
      </dl>
      {seller.imitates !== undefined && <Notice kind="warn">{text.seller.imitates(seller.imitates)}</Notice>}
    </>
  )
}

/** Short facts. */
export function Facts({ asset, service }: { asset: Asset; service: AssetService | undefined }) {
  const { asset: words } = text
  const { owner, chainId, created, updated, orders, did, nft } = asset
  return (
    <section class="panel" aria-labelledby="facts">
      <h2 id="facts">{words.facts}</h2>
      <dl class="facts">
        <Fact label={words.owner}>
          <AddressText address={owner} />
        </Fact>
        <Fact label={words.orders}>{orders}</Fact>
        {created && (
          <Fact label={words.published}>
            <Time time={created} />
          </Fact>
        )}
        {updated && updated.getTime() !== created?.getTime() && (
          <Fact label={words.updated}>
            <Time time={updated} />
          </Fact>
        )}
        <Fact label={words.chain}>{chainOf(chainId)?.name ?? text.wallet.chain(chainId)}</Fact>
        <Fact label={words.nft}>
          <AddressText address={nft} />
        </Fact>
        {service && (
          <Fact label={words.datatoken}>
            <AddressText address={service.datatoken} />
          </Fact>
        )}
        <Fact label={words.did}>
          <span class="address">
            <span class="mono" title={did}>
              {shortDid(did)}
            </span>
            <CopyButton value={did} label={`${text.copy} ${words.did}`} />
          </span>
        </Fact>
      </dl>
      <LicenseDocuments documents={asset.licenseDocuments} />
    </section>
  )
}

function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
