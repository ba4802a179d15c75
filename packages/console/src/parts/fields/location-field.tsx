import { useState } from 'preact/hooks'
import { type Located, locationOf } from '../../state/publishing/locations.js'
import { publishText } from '../../text/publish.js'
import { Button } from '../button.js'
import { Field } from './field.js'

interface LocationFieldProps {
  label: string
  hint: string
  add: string
  onAdd: (located: Located) => void
}

/** Input for the location of a file. */
export function LocationField({ label, hint, add, onAdd }: LocationFieldProps) {
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const submit = () => {
    const located = locationOf(typed)
    setProblem('problem' in located ? publishText.problems[located.problem] : undefined)
    if ('problem' in located) return
    setTyped('')
    onAdd(located)
  }
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(props) => (
        <div class="row location">
          <input
            {...props}
            class="grow"
            value={typed}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              submit()
            }}
          />
          <Button onClick={submit} icon="plus">
            {add}
          </Button>
        </div>
      )}
    </Field>
  )
}
