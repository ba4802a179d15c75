import { plainLine } from '../../format/hostile.js'
import { FileIcon } from '../../icons/file-icon.js'
import { Icon } from '../../icons/icon.js'
import { Button } from '../../parts/button.js'
import { Choice } from '../../parts/field.js'
import { LocationField } from '../../parts/location-field.js'
import { Words } from '../../parts/words.js'
import { config } from '../../state/config.js'
import type { NewFile, NewFiles as State } from '../../state/publishing/new-files.js'
import { mineText } from '../../text/mine.js'
import { publishText } from '../../text/publish.js'

let count = 0
const newKey = () => `new-${count++}`

/** New files of an asset, and whether the present ones stay. */
export function NewFiles({ value, onChange }: { value: State; onChange: (value: State) => void }) {
  const { files, keepOld } = value
  const words = mineText
  const add = (added: NewFile[]) => onChange({ ...value, files: [...files, ...added] })
  return (
    <>
      <LocationField
        label={words.newFiles}
        hint={words.newFilesHint}
        add={words.addFile}
        onAdd={(located) => add([{ key: newKey(), ...located }])}
      />
      {config().hosting.enabled && (
        <label class="button secondary normal">
          <Icon name="upload" />
          <span>{publishText.choose}</span>
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
                label={publishText.remove(plainLine(label, 60))}
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
