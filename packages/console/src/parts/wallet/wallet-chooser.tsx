import { useState } from 'preact/hooks'
import { Icon } from '../../icons/icon.js'
import { choosingWallet } from '../../state/page/overlays.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import { foundWallets } from '../../wallet/discovery.js'
import type { FoundWallet } from '../../wallet/provider.js'
import { connect } from '../../wallet/wallet.js'
import { Dialog } from '../dialog.js'
import { Problem } from '../states.js'
import { Words } from '../texts/words.js'
import { NoWallet } from './no-wallet.js'

/** The choice between the browser's wallets, or the ways to one. */
export function WalletChooser() {
  const wallets = useStore(foundWallets)
  const [asked, setAsked] = useState<string>()
  const [error, setError] = useState<unknown>()
  const close = () => choosingWallet.set(false)
  const choose = async (wallet: FoundWallet) => {
    setAsked(wallet.id)
    setError(undefined)
    try {
      await connect(wallet)
      close()
    } catch (refusal) {
      setError(refusal)
    }
    setAsked(undefined)
  }
  return (
    <Dialog title={text.wallet.choose} onClose={close}>
      {wallets.length === 0 ? (
        <NoWallet />
      ) : (
        <div class="stack">
          <p class="muted">{text.wallet.chooseHint}</p>
          {error !== undefined && <Problem error={error} />}
          {wallets.map((wallet) => (
            <button
              key={wallet.id}
              type="button"
              class="wallet-option"
              aria-busy={asked === wallet.id}
              onClick={() => asked === undefined && choose(wallet)}
            >
              {wallet.icon ? <img src={wallet.icon} alt="" width="32" height="32" /> : <Icon name="wallet" />}
              <span class="grow">
                <Words text={wallet.name || text.wallet.injected} most={40} />
              </span>
              {wallet.builtIn && <span class="badge dev">{text.local.badge}</span>}
              {asked === wallet.id && <span class="spinner" aria-hidden="true" />}
            </button>
          ))}
        </div>
      )}
    </Dialog>
  )
}
