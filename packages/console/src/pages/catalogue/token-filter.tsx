import { tokens } from '@tidegate/client'
import { useState } from 'preact/hooks'
import { TextField } from '../../parts/field.js'
import { AMOUNT, type CatalogueQuery } from '../../state/catalogue-query.js'
import { config } from '../../state/config.js'
import { contextNow } from '../../state/context.js'
import { useResource } from '../../state/resource.js'
import { text } from '../../text.js'
import { Select } from './select.js'

interface TokenFilterProps {
  query: CatalogueQuery
  show: (changes: Partial<CatalogueQuery>) => void
}

/** Limits the price within one token: amounts of different tokens cannot be compared. */
export function TokenFilter({ query, show }: TokenFilterProps) {
  const { catalogue: words } = text
  const { value = {} } = useResource('tokens', async () => tokens(contextNow(), config().chains[0]?.chainId ?? 0))
  const listed = Object.entries<string>(value)
  // what is typed may not be an amount yet
  const [typed, setTyped] = useState(query.most)
  const isKnown = query.token === '' || listed.some(([, address]) => address === query.token)
  const offered = isKnown ? listed : [...listed, [query.token, query.token] as const]
  return (
    <>
      <Select
        label={words.paidIn}
        value={query.token}
        options={[['', words.anyToken], ...offered.map(([symbol, address]): [string, string] => [address, symbol])]}
        onSelect={(token) => {
          setTyped('')
          show({ token, most: '' })
        }}
      />
      {query.token !== '' && (
        <TextField
          label={words.most}
          inputMode="decimal"
          autocomplete="off"
          value={typed}
          onText={(most) => {
            setTyped(most)
            if (most.trim() === '' || AMOUNT.test(most.trim())) show({ most: most.trim() })
          }}
        />
      )}
    </>
  )
}
