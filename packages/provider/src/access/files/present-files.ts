import { untrustedView } from '@tidegate/chain'
import {
  AccessError,
  assertShape,
  JsonBoundsError,
  PROTOCOL_LIMITS,
  parseJson,
  RequestError,
  ValidationError,
} from '@tidegate/protocol'
import { publicNameProblem } from '@tidegate/protocol/public-name'
import { STORAGE_LIMITS } from '@tidegate/storage'
import type { Address } from 'viem'
import type { Access } from '../access.js'
import type { OpenService } from '../service.js'
import { isObject, type PresentEdit, presentEdits } from './present-edits.js'
import { VersionNames } from './version-names.js'

/**
 * Returns a files object with the present files of its service after its own, for a new version of the service. Its field
 * `present` removes, renames and replaces single ones, which keep their place. A present file whose name is taken moves into
 * a folder: `old`, `old 2`, …. A present file that is among the new ones stays: its absence would show in the length that a
 * guess of its location was right. Throws ValidationError, AssetError.
 */
export function withPresentFiles(
  { fileLists }: Pick<Access, 'fileLists'>,
  { asset, service, index }: OpenService,
  document: Buffer,
): Buffer {
  const { nftAddress, datatokenAddress, files, present = [] } = (parsed(document) ?? {}) as Record<string, unknown>
  // a files object of another asset would let its owner sell these files
  if (!isSame(nftAddress, asset.nft) || !isSame(datatokenAddress, service.datatokenAddress) || !Array.isArray(files))
    throw ValidationError.of('body', 'The body must be a files object of this data NFT and datatoken.')
  const { objects } = fileLists.of(asset, { service, index })
  const edits = presentEdits(present, objects.length)
  const names = new VersionNames([...files.map(newName), ...[...edits.values()].map(({ name }) => name)])
  const all = [...files, ...objects.flatMap((object, at) => edited(object, edits.get(at), names))]
  if (all.length === 0) throw ValidationError.of('present', 'The present field must leave at least one file.')
  const text = JSON.stringify({ nftAddress, datatokenAddress, files: all })
  const problem = problemOf(text, all.length)
  if (problem !== undefined)
    throw ValidationError.of('body', `The new files and the present ones have more than ${problem}.`)
  return Buffer.from(text)
}

/** Returns what a new version has of a present storage object. A replaced file keeps its name if it has one. */
function edited(object: unknown, edit: PresentEdit | undefined, names: VersionNames): unknown[] {
  if (edit?.remove) return []
  const { name: own } = Object(object) as { name?: unknown }
  const next = edit?.file ? { ...edit.file, ...(own === undefined ? {} : { name: own }) } : object
  if (edit?.name === undefined) return [renamed(next, names)]
  // only storage objects have names: readers ignore other values
  return [isObject(next) ? { ...next, name: edit.name } : next]
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

/** Characters at the end of encrypted files that name a version: each encryption has its own key. */
const VERSION = 64

/** Throws RequestError unless the files of a service are of the version that a request is about. Indices name other files in another. */
export function assertFilesVersion({ service: { files } }: OpenService, version: string | undefined): void {
  if (version !== undefined && version !== files.slice(-VERSION))
    throw new RequestError('FILES_CHANGED', 'The asset has other files by now, or the index does not know them yet.')
}
