import { publishText } from '../../text/publish.js'
import { Choice } from './field.js'

interface ListedFieldProps {
  name: string
  unlisted: boolean
  onChange: (unlisted: boolean) => void
  compact?: boolean
}

/** Whether searches find the asset. */
export function ListedField({ unlisted, onChange, ...choice }: ListedFieldProps) {
  const words = publishText
  return (
    <Choice
      {...choice}
      label={words.listing}
      value={unlisted ? 'unlisted' : 'listed'}
      options={[
        { value: 'listed', label: words.listed },
        { value: 'unlisted', label: words.unlisted, hint: words.unlistedHint },
      ]}
      onChange={(value) => onChange(value === 'unlisted')}
    />
  )
}
