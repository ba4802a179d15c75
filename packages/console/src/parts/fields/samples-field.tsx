import { shownBytes } from '../../format/bytes.js'
import { CONSOLE_LIMITS } from '../../limits.js'
import { config } from '../../state/config.js'
import { samplesText } from '../../text/terms.js'
import { FileList } from './file-list.js'
import { PublicFileInput } from './public-file-input.js'

/** Samples of an asset: the library's limit. */
const MOST = 10

interface SampleFile {
  url: string
  name: string
}

interface SamplesFieldProps {
  samples: readonly SampleFile[]
  /** Gets a change of the samples, which may have changed during an upload. */
  onChange: (change: (samples: readonly SampleFile[]) => SampleFile[]) => void
}

/** Public files that show a part of an asset. Nothing without hosting. */
export function SamplesField({ samples, onChange }: SamplesFieldProps) {
  const words = samplesText
  if (!config().hosting.enabled && samples.length === 0) return null
  return (
    <fieldset class="stack tight">
      <legend>{words.label}</legend>
      <p class="muted small">{words.hint(MOST, shownBytes(CONSOLE_LIMITS.fields.sample))}</p>
      <FileList
        files={samples.map(({ url, name }) => ({ key: url, label: name }))}
        onRemove={(url) => onChange((now) => now.filter((one) => one.url !== url))}
      />
      {samples.length < MOST ? (
        <div class="row wrap">
          <PublicFileInput
            label={words.add}
            onFile={({ url, name }) => onChange((now) => [...now, { url, name }].slice(0, MOST))}
          />
        </div>
      ) : (
        <p class="muted small">{words.tooMany(MOST)}</p>
      )}
    </fieldset>
  )
}
