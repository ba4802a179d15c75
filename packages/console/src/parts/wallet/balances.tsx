import { balances } from '@tidegate/client'
import type { Address } from 'viem'
import { shownAmount } from '../../format/amount.js'
import { chainOf } from '../../state/config.js'
import { contextNow } from '../../state/context.js'
import { useResource } from '../../state/resource.js'
import { text } from '../../text.js'

interface BalancesProps {
  address: Address
  chainId: number
}

/** What the account holds: the coin, and the listed tokens of which it has some. Nothing if that cannot be read. */
export function HeldAmounts({ address, chainId }: BalancesProps) {
  const currency = chainOf(chainId)?.currency
  const { value } = useResource(currency ? `${chainId} ${address}` : '', async () =>
    currency ? balances(contextNow(), chainId, address) : undefined,
  )
  if (!value || !currency) return null
  const coin = { units: value.coin, decimals: currency.decimals, symbol: currency.symbol }
  const held = [coin, ...value.tokens.filter(({ units }) => units > 0n)]
  return (
    <div class="row between">
      <span class="muted">{text.wallet.holds}</span>
      <span>{held.map((amount) => `${shownAmount(amount).text} ${amount.symbol}`).join(', ')}</span>
    </div>
  )
}
