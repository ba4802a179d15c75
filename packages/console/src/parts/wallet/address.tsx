import { shortAddress } from '../../format/address.js'
import { text } from '../../text.js'
import { CopyButton } from '../copy.js'
import { Identicon } from './identicon.js'

/** An address: its picture, its beginning and end, all of it on hover and by the button. */
export function AddressText({ address, copy = true }: { address: string; copy?: boolean }) {
  return (
    <span class="address">
      <Identicon address={address} />
      <span class="mono" title={address}>
        {shortAddress(address)}
      </span>
      {copy && <CopyButton value={address} label={`${text.copy} ${shortAddress(address)}`} />}
    </span>
  )
}
