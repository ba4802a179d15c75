import { tokens } from '@tidegate/client'
import type { Address } from 'viem'
import { readerOf } from '../../state/chains.js'
import { config } from '../../state/config.js'
import { contextNow } from '../../state/context.js'
import { useResource } from '../../state/resource.js'
import { tokenOf } from '../../state/sales.js'

const chainFor = (chainId: number | undefined) => chainId ?? config().chains[0]?.chainId

/** Returns symbol and decimals of a token; undefined if it is unknown or the address is not a token. */
export function useToken(chainId: number | undefined, address: string) {
  const chain = chainFor(chainId)
  const isAddress = /^0x[0-9a-f]{40}$/i.test(address)
  const { value } = useResource(`${chain}/${isAddress ? address : ''}`, async () =>
    isAddress && chain !== undefined ? tokenOf(await readerOf(chain), address as Address) : undefined,
  )
  return value
}

/** Returns symbol and address of the tokens in the network's list, except OCEAN. */
export function useListedTokens(chainId: number | undefined): [symbol: string, address: string][] {
  const chain = chainFor(chainId)
  const { value = {} } = useResource(`${chain}`, async () => (chain === undefined ? {} : tokens(contextNow(), chain)))
  return Object.entries<string>(value).filter(([symbol]) => symbol !== 'OCEAN')
}
