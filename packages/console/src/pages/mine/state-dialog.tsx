import { type Asset, setState } from '@tidegate/client'
import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.js'
import { Dialog } from '../../parts/dialog.js'
import { Problem } from '../../parts/states.js'
import { Words } from '../../parts/texts/words.js'
import { contextNow } from '../../state/context.js'
import { announce } from '../../state/page/announce.js'
import { mineText } from '../../text/mine.js'
import { text } from '../../text.js'

/** Revokes or restores an asset after a confirmation. */
export function StateDialog({
  asset,
  wanted,
  onClose,
}: {
  asset: Asset
  wanted: 'active' | 'revoked'
  onClose: (isThere?: (told: Asset) => boolean) => void
}) {
  const { did, name } = asset
  const words = mineText
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const restoring = wanted === 'active'
  const change = async () => {
    setBusy(true)
    setError(undefined)
    let step = ''
    const context = contextNow(() => ({ kind: 'state', did, title: name.slice(0, 200), step }))
    try {
      await setState(context, did, wanted, {
        onStep: (next) => {
          step = next
        },
      })
      announce(restoring ? words.restored : words.revoked)
      onClose((told) => told.state === wanted)
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={restoring ? words.restoreTitle : words.revokeTitle}
      onClose={() => onClose()}
      actions={
        <>
          <Button onClick={() => onClose()}>{text.cancel}</Button>
          <Button kind={restoring ? 'primary' : 'danger'} busy={busy} onClick={change}>
            {busy ? words.working : restoring ? words.restore : words.revoke}
          </Button>
        </>
      }
    >
      <div class="stack">
        {name && (
          <p>
            <strong>
              <Words text={name} most={120} />
            </strong>
          </p>
        )}
        <p>{restoring ? words.restoreHint : words.revokeHint}</p>
        {error !== undefined && <Problem error={error} />}
      </div>
    </Dialog>
  )
}
