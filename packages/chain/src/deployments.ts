import { readTextFile } from '@tidegate/common'
import { checksummed, isAddressText } from '@tidegate/protocol'
import type { Deployment } from '@tidegate/protocol/networks'

export { type Deployment, KNOWN_DEPLOYMENTS } from '@tidegate/protocol/networks'

/**
 * Reads deployments from an address.json in the legacy format: an object of networks, each with chainId, ERC721Factory,
 * startBlock and Ocean.
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
    const { chainId, ERC721Factory, startBlock, Ocean } = (entry ?? {}) as Record<string, unknown>
    if (typeof chainId !== 'number' || typeof ERC721Factory !== 'string') return []
    if (!isAddressText(ERC721Factory)) throw new Error(`has an ERC721Factory that is not an address in ${network}`)
    return [
      {
        network,
        chainId,
        factory: checksummed(ERC721Factory),
        startBlock: typeof startBlock === 'number' ? startBlock : 0,
        ...(isAddressText(Ocean) ? { oceanToken: checksummed(Ocean) } : {}),
      },
    ]
  })
}
