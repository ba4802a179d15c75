import { publishText } from '../../text/publish.js'
import { Choice, TextField } from './field.js'

interface AccessFieldProps<Kind extends string> {
  name: string
  access: { kind: Kind; list: string }
  options: { value: Kind; label: string }[]
  onChange: (access: { kind: Kind; list: string }) => void
  compact?: boolean
  problem?: string | undefined
}

/** The accounts that may buy. The kinds `list` and `members` show a field for addresses: of accounts, or of access lists. */
export function AccessField<Kind extends string>({ access, problem, onChange, ...choice }: AccessFieldProps<Kind>) {
  const words = publishText
  return (
    <>
      <Choice {...choice} label={words.access} value={access.kind} onChange={(kind) => onChange({ ...access, kind })} />
      {(access.kind === 'list' || access.kind === 'members') && (
        <TextField
          label={words.addresses}
          hint={access.kind === 'list' ? words.addressesHint : words.membersHint}
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
