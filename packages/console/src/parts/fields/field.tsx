import type { AllHTMLAttributes, ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  label: string
  hint?: ComponentChildren
  /** The error of the input. */
  problem?: string | undefined
  children: (props: { id: string; 'aria-describedby': string; 'aria-invalid'?: 'true' }) => JSX.Element
}

/** A control with its label, and a hint or the error of the input. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId()
  const about = `${id}-about`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': about, ...(problem ? { 'aria-invalid': 'true' as const } : {}) })}
      <p id={about} class={problem ? 'problem small' : 'muted small'}>
        {problem ?? hint}
      </p>
    </div>
  )
}

type TextFieldProps = Omit<FieldProps, 'children'> &
  Partial<
    Pick<
      AllHTMLAttributes<HTMLInputElement>,
      'autocomplete' | 'class' | 'inputMode' | 'maxLength' | 'required' | 'spellcheck'
    >
  > & {
    value: string
    onText: (text: string) => void
    /** Lines of a textarea; an input of one line without it. */
    rows?: number
    suggestions?: readonly string[]
  }

export function TextField({ label, hint, problem, onText, rows, suggestions, ...attributes }: TextFieldProps) {
  const list = useId()
  const onInput = ({ currentTarget }: { currentTarget: { value: string } }) => onText(currentTarget.value)
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(props) => {
        if (rows !== undefined) return <textarea {...attributes} {...props} rows={rows} onInput={onInput} />
        if (!suggestions) return <input {...attributes} {...props} onInput={onInput} />
        return (
          <>
            <input {...attributes} {...props} list={list} onInput={onInput} />
            <datalist id={list}>
              {suggestions.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          </>
        )
      }}
    </Field>
  )
}

interface ChoiceProps<T extends string> {
  label: string
  name: string
  value: T
  options: { value: T; label: string; hint?: string }[]
  onChange: (value: T) => void
  /** Whether the options are buttons in a row instead of cards. */
  compact?: boolean
}

/** Radio buttons in the form of their options. */
export function Choice<T extends string>({ label, name, value, options, onChange, compact = false }: ChoiceProps<T>) {
  return (
    <fieldset class={compact ? 'choice compact' : 'choice'}>
      <legend>{label}</legend>
      <div class="choice-options">
        {options.map((option) => (
          <label key={option.value} class="choice-option">
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span class="choice-text">
              <span>{option.label}</span>
              {option.hint && <span class="muted small">{option.hint}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
