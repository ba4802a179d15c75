interface SelectProps {
  label: string
  value: string
  options: [value: string, label: string][]
  onSelect: (value: string) => void
}

/** A list to choose one of, with its label. */
export function Select({ label, value, options, onSelect }: SelectProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onSelect(currentTarget.value)}>
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
