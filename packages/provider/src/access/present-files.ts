import { isDeepStrictEqual } from 'node:util'
import { untrustedView } from '@tidegate/chain'
import { AccessError, PROTOCOL_LIMITS, parseJson, ValidationError } from '@tidegate/protocol'
import { STORAGE_LIMITS } from '@tidegate/storage'
import type { Address } from 'viem'
import type { Access } from './access.js'
import type { OpenService } from './service.js'

/**
 * Returns a files object with the present files of its service after its own, for a new version of the service. A present
 * file that is among the new ones is left out; one whose name is taken moves into a folder `old`. Throws ValidationError,
 * AssetError.
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
  const all: unknown[] = [...files]
  const names = new Set(files.map(nameOf))
  for (const object of fileLists.of(asset, { service, index }).objects) {
    if (files.some((one) => isDeepStrictEqual(one, object))) continue
    let name = nameOf(object)
    while (name !== undefined && names.has(name)) name = `old/${name}`
    names.add(name)
    all.push(name === undefined ? object : { ...(object as object), name })
  }
  const { count } = STORAGE_LIMITS.files
  if (all.length > count)
    throw ValidationError.of(
      'body',
      `A service has at most ${count} files, and these are ${all.length} with its old ones.`,
    )
  return Buffer.from(JSON.stringify({ nftAddress, datatokenAddress, files: all }))
}

/** Throws AccessError unless an account may change the metadata of an asset. Throws ChainError if no node answers. */
export async function assertUpdater({ asset: { chain, nft } }: OpenService, account: Address): Promise<void> {
  const permissions = await chain.nodes.ask((_client, call) => untrustedView(call, nft, 'getPermissions', [account]))
  if (!permissions?.updateMetadata)
    throw new AccessError('UPDATER_DENIED', 'This address may not change the metadata of the asset.')
}

function parsed(document: Buffer): unknown {
  try {
    return parseJson(document.toString('utf8'), PROTOCOL_LIMITS.body)
  } catch {
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
