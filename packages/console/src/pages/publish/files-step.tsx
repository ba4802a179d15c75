import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../../icons/icon.js'
import { Picture } from '../../icons/illustrations.js'
import { Button } from '../../parts/button.js'
import { Field } from '../../parts/field.js'
import { Notice } from '../../parts/states.js'
import { config } from '../../state/config.js'
import { announce } from '../../state/page/announce.js'
import { choosingWallet } from '../../state/page/overlays.js'
import { draft } from '../../state/publishing/draft.js'
import { addLocation, locationOf } from '../../state/publishing/locations.js'
import { addUploads } from '../../state/publishing/uploads.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import { walletState } from '../../wallet/wallet.js'
import { FileRow } from './file-row.js'

/** Which files: uploaded to the provider, or named by where they lie. */
export function FilesStep({ problem }: { problem: string | undefined }) {
  const { files } = useStore(draft)
  const { hosting } = config()
  return (
    <div class="stack">
      {hosting.enabled ? <Drop /> : <Notice>{text.publish.hostingOff}</Notice>}
      <Location />
      {files.length > 0 && (
        <ul class="files">
          {files.map((file) => (
            <FileRow key={file.key} file={file} />
          ))}
        </ul>
      )}
      {problem && files.length > 0 && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {problem && files.length === 0 && (
        <p class="problem" role="alert">
          {text.publish.noFiles}
        </p>
      )}
    </div>
  )
}

function Drop() {
  const wallet = useStore(walletState)
  const [over, setOver] = useState(false)
  const [different, setDifferent] = useState<string[]>([])
  const [early, setEarly] = useState<File[]>([])
  const { publish: words } = text
  const { maxFile } = config().hosting
  const isConnected = wallet.status === 'connected'
  const add = async (list: Iterable<File> | null | undefined) => {
    const added = await addUploads([...(list ?? [])])
    setDifferent(added.different)
    if (added.resumed > 0) announce(words.resumedUploads(added.resumed))
  }
  useEffect(() => {
    if (!isConnected || early.length === 0) return
    setEarly([])
    void add(early)
  }, [isConnected, early])
  if (!isConnected)
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: by keyboard the button below is the way
      <div
        class="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          // a browser would else leave the page and open the file
          event.preventDefault()
          setEarly([...early, ...(event.dataTransfer?.files ?? [])])
        }}
      >
        <Picture name="publish" />
        <p>{words.needsWallet}</p>
        {early.length > 0 && <p role="status">{words.earlyFiles(early.length)}</p>}
        <Button kind="primary" icon="wallet" onClick={() => choosingWallet.set(true)}>
          {text.wallet.connect}
        </Button>
      </div>
    )
  return (
    <>
      <label
        class={over ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          void add(event.dataTransfer?.files)
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
            void add(currentTarget.files)
            currentTarget.value = ''
          }}
        />
        <span class="muted small">
          {words.dropHint} {maxFile !== undefined && words.dropLimit(maxFile)}
        </span>
      </label>
      {different.map((name) => (
        <Notice key={name} kind="warn">
          {words.different(name)}
        </Notice>
      ))}
    </>
  )
}

function Location() {
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const { publish: words } = text
  const add = () => {
    const located = locationOf(typed)
    if ('problem' in located) {
      setProblem(words.problems[located.problem])
      return
    }
    setProblem(undefined)
    setTyped('')
    void addLocation(located)
  }
  return (
    <Field label={words.location} hint={words.locationHint} problem={problem}>
      {(props) => (
        <div class="row location">
          <input
            {...props}
            class="grow"
            value={typed}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              add()
            }}
          />
          <Button onClick={add} icon="plus">
            {words.add}
          </Button>
        </div>
      )}
    </Field>
  )
}
