import { untrustedView } from '@tidegate/chain'
import {
  AccessError,
  assertShape,
  JsonBoundsError,
  PROTOCOL_LIMITS,
  parseJson,
  ValidationError,
} from '@tidegate/protocol'
import { publicNameProblem } from '@tidegate/protocol/public-name'
import { STORAGE_LIMITS } from '@tidegate/storage'
import type { Address } from 'viem'
import type { Access } from './access.js'
import type { OpenService } from './service.js'
import { VersionNames } from './version-names.js'

/**
 * Returns a files object with the present files of its service after its own, for a new version of the service. A present
 * file whose name is taken moves into a folder: `old`, `old 2`, …. A present file that is among the new ones stays: its
 * absence would show in the length that a guess of its location was right. Throws ValidationError, AssetError.
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
  const names = new VersionNames(files.map(newName))
  const present = fileLists.of(asset, { service, index }).objects.map((object) => renamed(object, names))
  const text = JSON.stringify({ nftAddress, datatokenAddress, files: [...files, ...present] })
  const problem = problemOf(text, files.length + present.length)
  if (problem !== undefined)
    throw ValidationError.of('body', `The new files and the present ones have more than ${problem}.`)
  return Buffer.from(text)
}

/** Returns the exceeded limit of a files object; undefined if its service can be read. */
function problemOf(text: string, count: number): string | undefined {
  const { filesObject } = PROTOCOL_LIMITS
  if (Buffer.byteLength(text) > filesObject.size) return `${filesObject.size} bytes, which no document holds`
  if (count > STORAGE_LIMITS.files.count) return `${STORAGE_LIMITS.files.count} files, which no service has`
  try {
    assertShape(text, filesObject)
    return undefined
  } catch {
    return `${filesObject.keys} keys or ${filesObject.values} values, which no service has`
  }
}

/** Returns the name of a new file, if it has one. Throws ValidationError. */
function newName(object: unknown, at: number): string | undefined {
  const { name } = (object ?? {}) as { name?: unknown }
  const problem = name === undefined ? undefined : publicNameProblem(name)
  if (problem !== undefined) throw ValidationError.of(`files[${at}].name`, `The files[${at}].name field ${problem}.`)
  return name as string | undefined
}

/** Returns a present storage object with a free name. A name that readers ignore is left out. */
function renamed(object: unknown, names: VersionNames): unknown {
  const { name, ...rest } = (object ?? {}) as { name?: unknown }
  if (name === undefined) return object
  return publicNameProblem(name) === undefined ? { ...rest, name: names.free(name as string) } : rest
}

/** Throws AccessError unless an account may change the metadata of an asset. Throws ChainError if no node answers. */
export async function assertUpdater({ asset: { chain, nft } }: OpenService, account: Address): Promise<void> {
  const permissions = await chain.nodes.ask((_client, call) => untrustedView(call, nft, 'getPermissions', [account]), {
    accept: (found) => found?.updateMetadata === true,
  })
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
