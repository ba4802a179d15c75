import { type PublicFile, uploadPublic } from '@tidegate/client'
import { useState } from 'preact/hooks'
import { typeOf } from '../../format/media-type.js'
import { Icon } from '../../icons/icon.js'
import { contextNow } from '../../state/context.js'
import { beginWork } from '../../state/page/busy.js'
import { useStore } from '../../state/store.js'
import { termsText } from '../../text/terms.js'
import { walletState } from '../../wallet/wallet.js'
import { Problem } from '../states.js'

interface PublicFileInputProps {
  label: string
  /** Types of files that the browser offers. */
  accept?: string
  onFile: (file: PublicFile) => void
}

/** Uploads a chosen file for everybody. */
export function PublicFileInput({ label, accept, onFile }: PublicFileInputProps) {
  const isConnected = useStore(walletState).status === 'connected'
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  if (!isConnected) return <p class="muted small">{termsText.connect}</p>
  const send = async (file: File) => {
    const ended = beginWork()
    setBusy(true)
    setError(undefined)
    await uploadPublic(contextNow(), file, { name: file.name, contentType: typeOf(file) }).then(onFile, setError)
    setBusy(false)
    ended()
  }
  return (
    <>
      <label class="button secondary normal public-file" aria-busy={busy}>
        {busy ? <span class="spinner" aria-hidden="true" /> : <Icon name="upload" />}
        <span>{busy ? termsText.uploading : label}</span>
        <input
          type="file"
          class="off-screen"
          accept={accept}
          disabled={busy}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? []
            if (file) void send(file)
            currentTarget.value = ''
          }}
        />
      </label>
      {error !== undefined && <Problem error={error} />}
    </>
  )
}
