import { untrustedView } from '@tidegate/chain'
import { AccessError, JsonBoundsError, PROTOCOL_LIMITS, parseJson, ValidationError } from '@tidegate/protocol'
import type { Address } from 'viem'
import type { Access } from './access.js'
import type { OpenService } from './service.js'

/**
 * Returns a files object with the present files of its service after its own, for a new version of the service. A present
 * file that is among the new ones is left out; one whose name is taken moves into a folder: `old`, `old 2`, …
 * Throws ValidationError, AssetError.
 */
export function withPresentFiles(
  { fileLists }: Pick<Access, 'fileLists'>,
  { asset, service, index }: OpenService,
  document: Buffer,
): Buffer {
  const { nftAddress, datatokenAddress, files } = (parsed(document) ?? {}) as Record<string, unknown>
  // a files object of another asset would let its owner sell these files
  if (!isSame(nftAddress, asset.nft) || !isSame(datatokenAddress, service.datatokenAddress) || !Array.isArray(files))
    throw ValidationError.of('body', 'The body must be a files object of this data NFT and datatoken.')
  const known = new Set(files.map((object) => JSON.stringify(object)))
  const present = fileLists.of(asset, { service, index }).objects.filter((one) => !known.has(JSON.stringify(one)))
  const names = new Set(files.map(nameOf))
  const all = [...files, ...present.map((object) => renamed(object, names))]
  const joined = Buffer.from(JSON.stringify({ nftAddress, datatokenAddress, files: all }))
  const { size } = PROTOCOL_LIMITS.filesObject
  if (joined.length > size)
    throw ValidationError.of(
      'body',
      `The new files and the present ones have more than ${size} bytes, which no document holds.`,
    )
  return joined
}

/** Returns a storage object with a free name, which it adds to the taken ones. */
function renamed(object: unknown, taken: Set<string | undefined>): unknown {
  const name = nameOf(object)
  if (name === undefined) return object
  const base = name.replace(/^old(?: \d+)?\//, '')
  let free = name
  for (let n = 1; taken.has(free); n++) free = `${n === 1 ? 'old' : `old ${n}`}/${base}`
  taken.add(free)
  return { ...(object as object), name: free }
}

/** Throws AccessError unless an account may change the metadata of an asset. Throws ChainError if no node answers. */
export async function assertUpdater({ asset: { chain, nft } }: OpenService, account: Address): Promise<void> {
  const permissions = await chain.nodes.ask((_client, call) => untrustedView(call, nft, 'getPermissions', [account]))
  if (!permissions?.updateMetadata)
    throw new AccessError('UPDATER_DENIED', 'This address may not change the metadata of the asset.')
}

function parsed(document: Buffer): unknown {
  try {
    return parseJson(document.toString('utf8'), PROTOCOL_LIMITS.filesObject)
  } catch (error) {
    if (error instanceof JsonBoundsError) throw ValidationError.of('body', `The body ${error.message}.`)
    return undefined
  }
}

function isSame(named: unknown, own: string): boolean {
  return typeof named === 'string' && named.toLowerCase() === own.toLowerCase()
}

function nameOf(object: unknown): string | undefined {
  const { name } = (object ?? {}) as { name?: unknown }
  return typeof name === 'string' ? name : undefined
}
