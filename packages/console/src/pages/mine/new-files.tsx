import { useState } from 'preact/hooks'
import { plainLine } from '../../format/hostile.js'
import { FileIcon } from '../../icons/file-icon.js'
import { Icon } from '../../icons/icon.js'
import { Button } from '../../parts/button.js'
import { Choice, Field } from '../../parts/field.js'
import { Words } from '../../parts/words.js'
import { config } from '../../state/config.js'
import { locationOf } from '../../state/publishing/locations.js'
import type { NewFile, NewFiles as State } from '../../state/publishing/new-files.js'
import { text } from '../../text.js'

let count = 0
const newKey = () => `new-${count++}`

/** New files of an asset, and whether the present ones stay. */
export function NewFiles({ value, onChange }: { value: State; onChange: (value: State) => void }) {
  const { files, keepOld } = value
  const { mine: words, publish } = text
  const add = (added: NewFile[]) => onChange({ ...value, files: [...files, ...added] })
  return (
    <>
      <Location onAdd={(file) => add([file])} />
      {config().hosting.enabled && (
        <label class="button secondary normal">
          <Icon name="upload" />
          <span>{publish.choose}</span>
          <input
            type="file"
            multiple
            class="off-screen"
            onChange={({ currentTarget }) => {
              add([...(currentTarget.files ?? [])].map((file) => ({ key: newKey(), label: file.name, file })))
              currentTarget.value = ''
            }}
          />
        </label>
      )}
      {files.length > 0 && (
        <ul class="files">
          {files.map(({ key, label }) => (
            <li key={key} class="file">
              <FileIcon name={label} />
              <p class="grow">
                <Words text={label} most={120} />
              </p>
              <Button
                size="small"
                kind="quiet"
                icon="trash"
                label={publish.remove(plainLine(label, 60))}
                onClick={() => onChange({ ...value, files: files.filter((one) => one.key !== key) })}
              >
                {words.removeFile}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {files.length > 0 && (
        <Choice
          compact
          label={words.oldFiles}
          name="edit-old"
          value={keepOld ? 'keep' : 'replace'}
          options={[
            { value: 'replace', label: words.replaceOld },
            { value: 'keep', label: words.keepOld },
          ]}
          onChange={(kind) => onChange({ ...value, keepOld: kind === 'keep' })}
        />
      )}
    </>
  )
}

function Location({ onAdd }: { onAdd: (file: NewFile) => void }) {
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const { publish: words, mine } = text
  const add = () => {
    const located = locationOf(typed)
    setProblem('problem' in located ? words.problems[located.problem] : undefined)
    if ('problem' in located) return
    setTyped('')
    onAdd({ key: newKey(), ...located })
  }
  return (
    <Field label={mine.newFiles} hint={mine.newFilesHint} problem={problem}>
      {(props) => (
        <div class="row location">
          <input
            {...props}
            class="grow"
            placeholder="https://…"
            value={typed}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <Button onClick={add} icon="plus">
            {mine.addFile}
          </Button>
        </div>
      )}
    </Field>
  )
}
