import { text } from '../text.js'
import { Choice, TextField } from './field.js'

interface AccessFieldProps<Kind extends string> {
  name: string
  access: { kind: Kind; list: string }
  options: { value: Kind; label: string }[]
  onChange: (access: { kind: Kind; list: string }) => void
  compact?: boolean
  problem?: string | undefined
}

/** The accounts that may buy. The kind `list` shows a field for their addresses. */
export function AccessField<Kind extends string>({ access, problem, onChange, ...choice }: AccessFieldProps<Kind>) {
  const { publish: words } = text
  return (
    <>
      <Choice {...choice} label={words.access} value={access.kind} onChange={(kind) => onChange({ ...access, kind })} />
      {access.kind === 'list' && (
        <TextField
          label={words.addresses}
          hint={words.addressesHint}
          problem={problem}
          class="mono"
          rows={4}
          spellcheck={false}
          value={access.list}
          onText={(list) => onChange({ ...access, list })}
        />
      )}
    </>
  )
}
