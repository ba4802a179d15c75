import { tokens } from '@tidegate/client'
import { useEffect, useState } from 'preact/hooks'
import { TextField } from '../../parts/fields/field.js'
import { AMOUNT } from '../../state/catalogue-query.js'
import { config } from '../../state/config.js'
import { reading } from '../../state/context.js'
import { useResource } from '../../state/resource.js'
import { publishText } from '../../text/publish.js'
import { text } from '../../text.js'
import type { FiltersProps } from './filters.js'
import { Select } from './select.js'

/** Limits the price within one token: amounts of different tokens cannot be compared. */
export function TokenFilter({ query: { token, most }, show }: FiltersProps) {
  const { catalogue: words } = text
  const { value = [] } = useResource('tokens', listedTokens)
  const names = new Map([...(token ? [[token, token] as const] : []), ...value])
  // the typed text may not be an amount yet
  const [typed, setTyped] = useState(most)
  useEffect(() => {
    if (typed.trim() !== most) setTyped(most)
  }, [token, most])
  const limit = (entered: string) => {
    setTyped(entered)
    const amount = entered.trim()
    if (amount === '' || AMOUNT.test(amount)) show({ most: amount }, most !== '')
  }
  return (
    <>
      <Select
        label={words.paidIn}
        value={token}
        options={[['', words.anyToken], ...names]}
        onSelect={(token) => show({ token, most: '' })}
      />
      {token !== '' && (
        <TextField
          label={words.most}
          problem={typed.trim() === '' || AMOUNT.test(typed.trim()) ? undefined : publishText.amountBad}
          inputMode="decimal"
          autocomplete="off"
          value={typed}
          onText={limit}
        />
      )}
    </>
  )
}

/** Returns the addresses of the listed tokens of all chains, with their names. Leaves out lists that cannot be read. */
async function listedTokens(): Promise<[address: string, name: string][]> {
  const { chains } = config()
  const lists = chains.map(async ({ chainId, name }) => {
    const listed = await tokens(reading(), chainId).catch(() => ({}))
    return Object.entries<string>(listed).map(([symbol, address]): [string, string] => [
      address.toLowerCase(),
      chains.length > 1 ? `${symbol} (${name})` : symbol,
    ])
  })
  return (await Promise.all(lists)).flat()
}
