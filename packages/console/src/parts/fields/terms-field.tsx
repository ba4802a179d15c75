import { ASSET_LIMITS } from '@tidegate/protocol/asset'
import { config } from '../../state/config.js'
import { type TermsDraft, type TermsProblem, termsIn } from '../../state/publishing/terms-draft.js'
import { termsText } from '../../text/terms.js'
import { Button } from '../button.js'
import { ExternalLink, Sha256 } from '../texts/external-link.js'
import { Choice, TextField } from './field.js'
import { PublicFileInput } from './public-file-input.js'

interface TermsFieldProps {
  name: string
  value: TermsDraft
  problem?: TermsProblem | undefined
  onChange: (value: TermsDraft) => void
}

/** The terms that each buyer must accept: a file, which this provider hosts, or a URL with its SHA-256. */
export function TermsField({ name, value, problem, onChange }: TermsFieldProps) {
  const words = termsText
  const { kind } = value
  const kinds = (['none', 'file', 'url'] as const).filter(
    (one) => one !== 'file' || config().hosting.enabled || value.document,
  )
  const change = (changes: Partial<TermsDraft>) => onChange({ ...value, ...changes })
  return (
    <div class="stack tight terms-field">
      <Choice
        compact
        label={words.title}
        name={name}
        value={kind}
        options={kinds.map((one) => ({ value: one, label: words.kinds[one] }))}
        onChange={(kind) => change({ kind })}
      />
      <p class="muted small">{words.hint}</p>
      {kind === 'file' && <File value={value} problem={problem} change={change} />}
      {kind === 'url' && (
        <>
          <TextField
            label={words.url}
            hint={words.urlHint}
            problem={problem === 'urlBad' ? words.urlBad : undefined}
            maxLength={ASSET_LIMITS.url}
            spellcheck={false}
            autocomplete="off"
            value={value.url}
            onText={(url) => change({ url })}
          />
          <TextField
            label={words.sha256}
            hint={words.sha256Hint}
            problem={problem === 'sha256Bad' ? words.sha256Bad : undefined}
            class="mono"
            spellcheck={false}
            autocomplete="off"
            value={value.sha256}
            onText={(sha256) => change({ sha256 })}
          />
        </>
      )}
    </div>
  )
}

function File({
  value: { document },
  problem,
  change,
}: Pick<TermsFieldProps, 'value' | 'problem'> & { change: (changes: Partial<TermsDraft>) => void }) {
  const words = termsText
  if (!document)
    return (
      <div class="row wrap">
        <PublicFileInput
          label={words.choose}
          accept=".txt,.md,.pdf,text/plain,text/markdown,application/pdf"
          onFile={({ url, sha256, name, contentType }) =>
            change({ document: { url, sha256, name, ...(contentType ? { contentType } : {}) } })
          }
        />
        {problem === 'fileMissing' && <p class="problem small">{words.fileMissing}</p>}
      </div>
    )
  const { url, name, sha256 } = document
  return (
    <>
      <p class="row wrap">
        <ExternalLink url={url} host={new URL(url).host} name={name} />
        <Button size="small" onClick={() => change({ document: undefined })}>
          {words.replace}
        </Button>
      </p>
      <Sha256 sha256={sha256} />
    </>
  )
}

/** Returns the problem of terms; undefined if there is none. */
export function termsProblem(value: TermsDraft): TermsProblem | undefined {
  const found = termsIn(value)
  return found && 'problem' in found ? found.problem : undefined
}
