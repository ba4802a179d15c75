import { Choice } from '../../parts/fields/field.js'
import { LocationField } from '../../parts/fields/location-field.js'
import { Notice } from '../../parts/states.js'
import { config } from '../../state/config.js'
import { draft, editDraft } from '../../state/publishing/draft.js'
import { addLocation } from '../../state/publishing/locations.js'
import { useStore } from '../../state/store.js'
import { publishText } from '../../text/publish.js'
import { problemsOf } from './checks.js'
import { DropZone } from './drop-zone.js'
import { FileRow } from './file-row.js'

/** The files of an asset: uploaded to the provider, or named by their location. */
export function FilesStep({ problem }: { problem: string | undefined }) {
  const now = useStore(draft)
  const { files, anonymous } = now
  // the draft may have changed since the problem was found
  const current = problem && problemsOf(now, 0).files
  const { hosting } = config()
  const words = publishText
  return (
    <div class="stack">
      {hosting.enabled ? <DropZone /> : <Notice>{words.hostingOff}</Notice>}
      <LocationField
        label={words.location}
        hint={words.locationHint}
        add={words.add}
        onAdd={(located) => void addLocation(located)}
      />
      {files.length > 0 && (
        <ul class="files">
          {files.map((file) => (
            <FileRow key={file.key} file={file} />
          ))}
        </ul>
      )}
      {files.length > 0 && (
        <Choice
          name="file-names"
          label={words.fileNames}
          value={anonymous ? 'hidden' : 'public'}
          options={[
            { value: 'public', label: words.namesPublic },
            { value: 'hidden', label: words.namesHidden },
          ]}
          onChange={(value) => editDraft({ anonymous: value === 'hidden' })}
        />
      )}
      {current && (
        <p class="problem" role="alert">
          {current}
        </p>
      )}
    </div>
  )
}
