import { config, providerUrl } from '../../state/config.js'
import { signingText } from '../../text/signing.js'
import { text } from '../../text.js'
import { type Asking, asking } from '../../wallet/explained.js'
import { Button } from '../button.js'
import { Dialog } from '../dialog.js'

/** Explains a signature before the wallet opens. A hash is signed only if the user continues. */
export function SigningExplanation({ asking: shown }: { asking: Asking }) {
  const words = signingText
  if (shown.kind === 'message')
    return (
      <Dialog title={words.title} onClose={() => asking.set(undefined)}>
        <div class="stack">
          <p>{words.message(new URL(config().provider ?? providerUrl()).host)}</p>
          <p class="muted">{words.covers}</p>
        </div>
      </Dialog>
    )
  return (
    <Dialog
      title={words.hashTitle}
      onClose={() => shown.decide(false)}
      actions={
        <>
          <Button onClick={() => shown.decide(false)}>{text.cancel}</Button>
          <Button kind="primary" icon="wallet" onClick={() => shown.decide(true)}>
            {words.open}
          </Button>
        </>
      }
    >
      <div class="stack">
        <p>{words.hash}</p>
        <p>{words.hashCovers}</p>
      </div>
    </Dialog>
  )
}
