import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../../icons/icon.js'
import { Picture } from '../../icons/illustrations.js'
import { Button } from '../../parts/button.js'
import { Notice } from '../../parts/states.js'
import { config } from '../../state/config.js'
import { announce } from '../../state/page/announce.js'
import { choosingWallet } from '../../state/page/overlays.js'
import { addUploads } from '../../state/publishing/uploads.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import { walletState } from '../../wallet/wallet.js'

/** Input for files to upload. Files that arrive before a wallet is connected wait for it. */
export function DropZone() {
  const isConnected = useStore(walletState).status === 'connected'
  const [waiting, setWaiting] = useState<File[]>([])
  const [different, setDifferent] = useState<string[]>([])
  const add = async (files: Iterable<File>) => {
    const added = await addUploads([...files])
    setDifferent(added.different)
    if (added.resumed > 0) announce(text.publish.resumedUploads(added.resumed))
  }
  useEffect(() => {
    if (!isConnected || waiting.length === 0) return
    setWaiting([])
    void add(waiting)
  }, [isConnected, waiting])
  if (!isConnected)
    return <WalletNeeded waiting={waiting.length} onFiles={(files) => setWaiting([...waiting, ...files])} />
  return (
    <>
      <FileInput onFiles={(files) => void add(files)} />
      {different.map((name) => (
        <Notice key={name} kind="warn">
          {text.publish.different(name)}
        </Notice>
      ))}
    </>
  )
}

type OnFiles = (files: Iterable<File>) => void

function WalletNeeded({ waiting, onFiles }: { waiting: number; onFiles: OnFiles }) {
  const { publish: words } = text
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button below is the way by keyboard
    <div
      class="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        // without this the browser leaves the page and opens the file
        event.preventDefault()
        onFiles(event.dataTransfer?.files ?? [])
      }}
    >
      <Picture name="publish" />
      <p>{words.needsWallet}</p>
      {waiting > 0 && <p role="status">{words.earlyFiles(waiting)}</p>}
      <Button kind="primary" icon="wallet" onClick={() => choosingWallet.set(true)}>
        {text.wallet.connect}
      </Button>
    </div>
  )
}

function FileInput({ onFiles }: { onFiles: OnFiles }) {
  const [isOver, setOver] = useState(false)
  const { publish: words } = text
  const { maxFile } = config().hosting
  return (
    <label
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        onFiles(event.dataTransfer?.files ?? [])
      }}
    >
      <Picture name="publish" />
      <strong>{words.drop}</strong>
      <span class="muted">{words.dropOr}</span>
      <span class="button secondary normal">
        <Icon name="upload" />
        <span>{words.choose}</span>
      </span>
      <input
        type="file"
        multiple
        class="off-screen"
        onChange={({ currentTarget }) => {
          onFiles(currentTarget.files ?? [])
          currentTarget.value = ''
        }}
      />
      <span class="muted small">
        {words.dropHint} {maxFile !== undefined && words.dropLimit(maxFile)}
      </span>
    </label>
  )
}
