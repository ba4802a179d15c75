import { readTextFile } from '@tidegate/common'
import { checksummed, isAddressText } from '@tidegate/protocol'
import type { Deployment } from '@tidegate/protocol/networks'

export { type Deployment, KNOWN_DEPLOYMENTS } from '@tidegate/protocol/networks'

/** Entries of an address.json that name a token, with its symbol. */
const TOKENS = { COMPY: 'COMPY', MockDAI: 'DAI', MockUSDC: 'USDC' } as const

/**
 * Reads deployments from an address.json in the legacy format: an object of networks, each with chainId, ERC721Factory,
 * startBlock, Ocean and AccessListFactory. An operator may add `tokens`: an object of addresses by symbol.
 * @throws Error whose message is a predicate about the file
 */
export function readAddressFile(path: string): Deployment[] {
  let networks: unknown
  try {
    networks = JSON.parse(readTextFile(path))
  } catch (error) {
    throw new Error(`cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'not valid JSON'}`)
  }
  if (typeof networks !== 'object' || networks === null) throw new Error('must hold a JSON object of networks')
  return Object.entries(networks).flatMap(([network, entry]) => {
    const fields = (entry ?? {}) as Record<string, unknown>
    const { chainId, ERC721Factory, startBlock, Ocean, AccessListFactory } = fields
    if (typeof chainId !== 'number' || typeof ERC721Factory !== 'string') return []
    if (!isAddressText(ERC721Factory)) throw new Error(`has an ERC721Factory that is not an address in ${network}`)
    return [
      {
        network,
        chainId,
        factory: checksummed(ERC721Factory),
        startBlock: typeof startBlock === 'number' ? startBlock : 0,
        ...(isAddressText(Ocean) ? { oceanToken: checksummed(Ocean) } : {}),
        ...tokensIn(fields),
        ...(isAddressText(AccessListFactory) ? { accessListFactory: checksummed(AccessListFactory) } : {}),
      },
    ]
  })
}

function tokensIn(fields: Record<string, unknown>): Pick<Deployment, 'tokens'> {
  const named = Object.entries(TOKENS).map(([entry, symbol]): [string, unknown] => [symbol, fields[entry]])
  const tokens = [...named, ...Object.entries(fields.tokens ?? {})].flatMap(([symbol, address]) =>
    isAddressText(address) ? [[symbol, checksummed(address)] as const] : [],
  )
  return tokens.length > 0 ? { tokens: Object.fromEntries(tokens) } : {}
}
