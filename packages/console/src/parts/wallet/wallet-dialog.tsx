import { choosingWallet } from '../../state/page/overlays.js'
import { useStore } from '../../state/store.js'
import { asking } from '../../wallet/explained.js'
import { lazily } from '../lazily.js'

const WalletChooser = lazily(() => import('./wallet-chooser.js').then(({ WalletChooser }) => WalletChooser), {
  isPart: true,
})

const SigningExplanation = lazily(
  () => import('./signing-explanation.js').then(({ SigningExplanation }) => SigningExplanation),
  { isPart: true },
)

/** The explanation of a signature, while the wallet is asked for it. */
export function SigningDialog() {
  const shown = useStore(asking)
  return shown ? <SigningExplanation key={shown.kind} asking={shown} /> : null
}

/** The dialog that chooses a wallet, while it is wanted. */
export function WalletDialog() {
  return useStore(choosingWallet) ? <WalletChooser /> : null
}
