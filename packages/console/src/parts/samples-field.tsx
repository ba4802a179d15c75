import { shownBytes } from '../format/bytes.js'
import { plainLine } from '../format/hostile.js'
import { FileIcon } from '../icons/file-icon.js'
import { config } from '../state/config.js'
import { mineText } from '../text/mine.js'
import { publishText } from '../text/publish.js'
import { samplesText } from '../text/terms.js'
import { Button } from './button.js'
import { PublicFileInput } from './public-file-input.js'
import { Words } from './words.js'

/** Samples of an asset, and bytes of one: the library's limits. */
const MOST = 10
const MOST_BYTES = 5_242_880

export interface SampleFile {
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
      {samples.length > 0 && (
        <ul class="files">
          {samples.map(({ url, name }) => (
            <li key={url} class="file">
              <FileIcon name={name} type={undefined} />
              <p class="grow">
                <Words text={name} most={120} />
              </p>
              <Button
                size="small"
                kind="quiet"
                icon="trash"
                label={publishText.remove(plainLine(name, 60))}
                onClick={() => onChange((now) => now.filter((one) => one.url !== url))}
              >
                {mineText.removeFile}
              </Button>
            </li>
          ))}
        </ul>
      )}
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
