import { choosingWallet } from '../../state/page/overlays.js'
import { useStore } from '../../state/store.js'
import { lazily } from '../lazily.js'

const WalletChooser = lazily(() => import('./wallet-chooser.js').then(({ WalletChooser }) => WalletChooser), {
  isPart: true,
})

/** The dialog that chooses a wallet, while it is wanted. */
export function WalletDialog() {
  return useStore(choosingWallet) ? <WalletChooser /> : null
}
