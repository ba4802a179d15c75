import type { Address } from 'viem'
import { readerOf } from '../../state/chains.js'
import { config } from '../../state/config.js'
import { useResource } from '../../state/resource.js'
import { tokenOf } from '../../state/sales.js'

/** Returns symbol and decimals of a token; undefined if it is unknown or the address is not a token. */
export function useToken(chainId: number | undefined, address: string) {
  const chain = chainId ?? config().chains[0]?.chainId
  const isAddress = /^0x[0-9a-f]{40}$/i.test(address)
  const { value } = useResource(`${chain}/${isAddress ? address : ''}`, async () =>
    isAddress && chain !== undefined ? tokenOf(await readerOf(chain), address as Address) : undefined,
  )
  return value
}
