import type { Chain } from '@tidegate/chain'
import { COMMON_LIMITS } from '@tidegate/common'
import { type Address, domainSeparator } from 'viem'
import { callView } from '../chain/views.js'

/** A token that buyers pay with: its own claims, and the domain of signatures over it (EIP-712), which it confirms. */
export interface PaymentToken {
  address: Address
  name: string
  version: string
  symbol: string
  decimals: number
}

/** Versions that tokens with EIP-3009 have which do not tell theirs. */
const VERSIONS = ['1', '2']

/** Returns a token of EIP-3009; undefined if it is none, has a name that is no name, or signatures of another domain. Throws ChainError. */
export function readPaymentToken({ nodes, chainId }: Chain, token: Address): Promise<PaymentToken | undefined> {
  return nodes.ask(async (_client, call) => {
    const [name, told, symbol, decimals, separator] = await Promise.all([
      callView(call, token, 'name', []),
      callView(call, token, 'version', []),
      callView(call, token, 'symbol', []),
      callView(call, token, 'decimals', []),
      callView(call, token, 'DOMAIN_SEPARATOR', []),
    ])
    if (name === undefined || symbol === undefined || decimals === undefined) return undefined
    if (![name, symbol, told ?? ''].every(isName)) return undefined
    const version = [...(told === undefined ? [] : [told]), ...VERSIONS].find((one) => {
      const domain = { name, version: one, chainId, verifyingContract: token }
      return domainSeparator({ domain }) === separator
    })
    return version === undefined ? undefined : { address: token, name, version, symbol, decimals }
  })
}

/** Whether a text can be shown: headers, reports and terminals have it as it is. */
const isName = (text: string) => text.length <= COMMON_LIMITS.contract.tokenName && !/\p{C}/u.test(text)
