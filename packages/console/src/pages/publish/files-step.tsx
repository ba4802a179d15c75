import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.js'
import { Choice, Field } from '../../parts/field.js'
import { Notice } from '../../parts/states.js'
import { config } from '../../state/config.js'
import { draft, editDraft } from '../../state/publishing/draft.js'
import { addLocation, locationOf } from '../../state/publishing/locations.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import { DropZone } from './drop-zone.js'
import { FileRow } from './file-row.js'

/** The files of an asset: uploaded to the provider, or named by their location. */
export function FilesStep({ problem }: { problem: string | undefined }) {
  const { files, anonymous } = useStore(draft)
  const { hosting } = config()
  return (
    <div class="stack">
      {hosting.enabled ? <DropZone /> : <Notice>{text.publish.hostingOff}</Notice>}
      <Location />
      {files.length > 0 && (
        <ul class="files">
          {files.map((file) => (
            <FileRow key={file.key} file={file} />
          ))}
        </ul>
      )}
      {files.some(({ kind }) => kind === 'upload') && (
        <Choice
          name="file-names"
          label={text.publish.fileNames}
          value={anonymous ? 'hidden' : 'public'}
          options={[
            { value: 'public', label: text.publish.namesPublic },
            { value: 'hidden', label: text.publish.namesHidden },
          ]}
          onChange={(value) => editDraft({ anonymous: value === 'hidden' })}
        />
      )}
      {problem && (
        <p class="problem" role="alert">
          {files.length > 0 ? problem : text.publish.noFiles}
        </p>
      )}
    </div>
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
