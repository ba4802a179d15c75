import type { Seller } from '@tidegate/client'
import { shortAddress } from '@tidegate/protocol/values'
import { Icon } from '../icons/icon.js'
import { config } from '../state/config.js'
import { pathOf } from '../state/page/route.js'
import { text } from '../text.js'
import { Words } from './texts/words.js'
import { Identicon } from './wallet/identicon.js'

/** Who sells an asset: the account with its verified name, or beside the text of the author, which anybody may write. */
export function SellerText({ seller, author = '' }: { seller: Seller; author?: string }) {
  const { account, describedBy, verified, imitates } = seller
  const { seller: words } = text
  return (
    <span class="seller">
      <span class="seller-name">
        <Identicon address={account} />
        {verified !== undefined ? (
          <strong>{verified}</strong>
        ) : (
          author && author.toLowerCase() !== account.toLowerCase() && <Words text={author} most={60} />
        )}
      </span>
      {verified !== undefined && <VerifiedMark />}
      <a class="mono" href={pathOf({ page: 'seller', account })} title={account}>
        {shortAddress(account)}
      </a>
      {imitates !== undefined && (
        <span class="badge warn" title={words.imitates(imitates)}>
          <Icon name="warning" />
          {words.unverified}
        </span>
      )}
      {describedBy && <span title={describedBy}>{words.describedBy(shortAddress(describedBy))}</span>}
    </span>
  )
}

/** The mark of a name that the operator has verified. */
export function VerifiedMark() {
  const label = text.seller.verifiedBy(config().operator?.name)
  return (
    <span class="badge verified" title={label}>
      <Icon name="check" />
      {text.seller.verified}
    </span>
  )
}
