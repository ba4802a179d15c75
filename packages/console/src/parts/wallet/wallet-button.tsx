import { shortAddress } from '@tidegate/protocol/values'
import { useState } from 'preact/hooks'
import { Icon } from '../../icons/icon.js'
import { chainOf } from '../../state/config.js'
import { choosingWallet } from '../../state/page/overlays.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import { walletState } from '../../wallet/wallet.js'
import { Button } from '../button.js'
import { Identicon } from './identicon.js'
import { WalletMenu } from './wallet-menu.js'

/** Connects a wallet, or shows the connected one. */
export function WalletButton() {
  const state = useStore(walletState)
  const [open, setOpen] = useState(false)
  if (state.status !== 'connected')
    return (
      <Button
        kind="primary"
        icon="wallet"
        busy={state.status === 'connecting'}
        onClick={() => choosingWallet.set(true)}
      >
        {state.status === 'connecting' ? text.wallet.connecting : text.wallet.connect}
      </Button>
    )
  const known = chainOf(state.chainId) !== undefined
  return (
    <>
      <button type="button" class="wallet-button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Identicon address={state.address} />
        <span class="off-screen">{text.wallet.menu}</span> <span class="mono">{shortAddress(state.address)}</span>
        {!known && (
          <span class="badge warn" title={text.wallet.wrongNetwork}>
            <Icon name="warning" />
          </span>
        )}
        {state.wallet.builtIn && <span class="badge dev">{text.local.badge}</span>}
      </button>
      {open && <WalletMenu state={state} onClose={() => setOpen(false)} />}
    </>
  )
}
