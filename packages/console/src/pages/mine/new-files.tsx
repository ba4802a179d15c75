import type { VersionPlan as Plan } from '@tidegate/protocol/version-plan'
import { Icon } from '../../icons/icon.js'
import { Choice } from '../../parts/fields/field.js'
import { FileList } from '../../parts/fields/file-list.js'
import { LocationField } from '../../parts/fields/location-field.js'
import { config } from '../../state/config.js'
import type { NewFile, NewFiles as State } from '../../state/publishing/new-files.js'
import { mineText } from '../../text/mine.js'
import { publishText } from '../../text/publish.js'
import { VersionPlan } from './version-plan.js'

let count = 0
const newKey = () => `new-${count++}`

interface NewFilesProps {
  /** What buyers will find; undefined without new files. */
  plan: Plan | undefined
  value: State
  onChange: (value: State) => void
}

/** New files of an asset, whether the present ones stay, and what that means. */
export function NewFiles({ plan, value, onChange }: NewFilesProps) {
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
      <FileList
        files={files}
        onRemove={(key) => onChange({ ...value, files: files.filter((one) => one.key !== key) })}
      />
      {files.length > 0 && (
        <Choice
          compact
          label={words.oldFiles}
          name="edit-old"
          value={keepOld ? 'keep' : 'replace'}
          options={[
            { value: 'keep', label: words.keepOld },
            { value: 'replace', label: words.replaceOld },
          ]}
          onChange={(kind) => onChange({ ...value, keepOld: kind === 'keep' })}
        />
      )}
      {plan && <VersionPlan plan={plan} />}
    </>
  )
}
