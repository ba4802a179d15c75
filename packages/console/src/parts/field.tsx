import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  label: string
  hint?: ComponentChildren
  /** What is wrong with what was entered. */
  problem?: string | undefined
  children: (props: { id: string; 'aria-describedby': string; 'aria-invalid'?: 'true' }) => JSX.Element
}

/** A control with its label, a hint, and what is wrong with it. */
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

interface ChoiceProps<T extends string> {
  label: string
  name: string
  value: T
  options: { value: T; label: string; hint?: string }[]
  onChange: (value: T) => void
  /** Buttons in a row instead of cards. */
  compact?: boolean
}

/** One of a few: radio buttons that look like what they choose. */
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
