import { shortAddress } from '@tidegate/protocol/values'
import { text } from '../../text.js'
import { CopyButton } from '../copy.js'
import { Identicon } from './identicon.js'

/** A shortened address with its picture. The title and a button give the full one. */
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
