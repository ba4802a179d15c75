import { shownBytes } from '../../format/bytes.js'
import { config } from '../../state/config.js'
import { samplesText } from '../../text/terms.js'
import { FileList } from './file-list.js'
import { PublicFileInput } from './public-file-input.js'

/** Samples of an asset, and bytes of one: the library's limits. */
const MOST = 10
const MOST_BYTES = 5_242_880

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
      <p class="muted small">{words.hint(MOST, shownBytes(MOST_BYTES))}</p>
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
