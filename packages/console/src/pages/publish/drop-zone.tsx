import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../../icons/icon.js'
import { Picture } from '../../icons/illustrations.js'
import { Button } from '../../parts/button.js'
import { Notice, Problem } from '../../parts/states.js'
import { config } from '../../state/config.js'
import { announce } from '../../state/page/announce.js'
import { choosingWallet } from '../../state/page/overlays.js'
import { droppedFiles, type NamedFile, pickedFiles } from '../../state/publishing/dropped.js'
import { addUploads } from '../../state/publishing/uploads.js'
import { useStore } from '../../state/store.js'
import { publishText } from '../../text/publish.js'
import { text } from '../../text.js'
import { walletState } from '../../wallet/wallet.js'

/** Input for files to upload. Files that arrive before a wallet is connected wait for it. */
export function DropZone() {
  const isConnected = useStore(walletState).status === 'connected'
  const [waiting, setWaiting] = useState<NamedFile[]>([])
  const [error, setError] = useState<unknown>()
  const [different, setDifferent] = useState<string[]>([])
  const add = async (files: NamedFile[]) => {
    setError(undefined)
    try {
      const added = await addUploads(files)
      setDifferent(added.different)
      if (added.resumed > 0) announce(publishText.resumedUploads(added.resumed))
    } catch (refusal) {
      setError(refusal)
    }
  }
  useEffect(() => {
    if (!isConnected || waiting.length === 0) return
    setWaiting([])
    void add(waiting)
  }, [isConnected, waiting])
  if (!isConnected)
    return (
      <WalletNeeded
        waiting={waiting.length}
        onFiles={(files) => setWaiting([...waiting, ...files])}
        onProblem={setError}
      />
    )
  return (
    <>
      <FileInput onFiles={(files) => void add(files)} onProblem={setError} />
      {error !== undefined && <Problem error={error} />}
      {different.map((name) => (
        <Notice key={name} kind="warn">
          {publishText.different(name)}
        </Notice>
      ))}
    </>
  )
}

interface Receiver {
  onFiles: (files: NamedFile[]) => void
  onProblem: (error: unknown) => void
}

/** Hands over the files of a drop. */
function take({ dataTransfer }: DragEvent, { onFiles, onProblem }: Receiver): void {
  droppedFiles(dataTransfer?.items ?? []).then(onFiles, onProblem)
}

function WalletNeeded({ waiting, ...receiver }: Receiver & { waiting: number }) {
  const words = publishText
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button below is the way by keyboard
    <div
      class="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        // without this the browser leaves the page and opens the file
        event.preventDefault()
        take(event, receiver)
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

function FileInput(receiver: Receiver) {
  const [isOver, setOver] = useState(false)
  const words = publishText
  const { maxFile } = config().hosting
  return (
    <>
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
          take(event, receiver)
        }}
      >
        <Picture name="publish" />
        <strong>{words.drop}</strong>
        <span class="muted">{words.dropOr}</span>
        <span class="button secondary normal">
          <Icon name="upload" />
          <span>{words.choose}</span>
        </span>
        <input {...picker(receiver, false)} />
        <span class="muted small">
          {words.dropHint} {maxFile !== undefined && words.dropLimit(maxFile)}
        </span>
      </label>
      <label class="button secondary small folder-choice">
        <Icon name="upload" />
        <span>{words.chooseFolder}</span>
        <input {...picker(receiver, true)} />
      </label>
    </>
  )
}

/** Properties of an input for files, or for a folder. */
const picker = ({ onFiles }: Receiver, folder: boolean) => ({
  type: 'file' as const,
  multiple: true,
  class: 'off-screen',
  // JSX does not know the attribute
  ref: (input: HTMLInputElement | null) => {
    if (input) input.webkitdirectory = folder
  },
  onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    onFiles(pickedFiles(currentTarget.files ?? []))
    currentTarget.value = ''
  },
})
