import type { Service } from '../assets/ddo.js'
import { type Asset, type AssetService, serviceOf } from '../assets/resolver.js'
import type { Context } from '../context.js'
import { AssetError, ValidationError } from '../errors.js'
import { fileAt, openFiles } from '../storage/files.js'
import type { StoredFile } from '../storage/registry.js'
import { assertConsumable } from './policy.js'

/** A service of an asset in a state that allows access. */
export interface OpenService extends AssetService {
  asset: Asset
  /** Decrypts the file list and answers its storage objects, each bound to its kind. Throws AssetError. */
  files(): StoredFile[]
  /** The one at an index. Throws AssetError. */
  file(index: number): StoredFile
}

/** A decrypted file list, and those of its objects that were bound to their kind. */
interface OpenedFiles {
  objects: unknown[]
  bound: StoredFile[]
}

/** Those of services whose documents are kept: opening costs a multiplication on the curve. */
const OPENED = new WeakMap<Service, OpenedFiles>()

/** Finds a service by DID and id. Throws AssetError where there is none, AccessError where the state forbids access. */
export async function openService(
  { assets, storages, settings }: Context,
  did: string,
  serviceId: string,
): Promise<OpenService> {
  const asset = await assets.resolve(did)
  assertConsumable(asset.state)
  const found = serviceOf(asset, serviceId)
  assertConsumable(found.service.state ?? asset.state)
  const bind = (object: unknown): StoredFile => {
    try {
      return storages.file(object)
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      // what is wrong is in the publisher's secret descriptor, not in this request
      throw new AssetError('FILES_UNREADABLE', 'Unable to get dataset files')
    }
  }
  const opened = (): OpenedFiles => {
    const known = OPENED.get(found.service)
    if (known) return known
    const objects = openFiles(found.service.files, {
      keys: asset.chain.keys,
      nft: asset.nft,
      datatoken: found.service.datatokenAddress,
      ddoVersion: asset.ddo.version,
      allowUnbound: settings.ALLOW_UNBOUND_FILES,
    })
    const fresh = { objects, bound: [] }
    OPENED.set(found.service, fresh)
    return fresh
  }
  const file = (index: number): StoredFile => {
    const { objects, bound } = opened()
    bound[index] ??= bind(fileAt(objects, index))
    return bound[index]
  }
  return { asset, ...found, files: () => opened().objects.map((_, index) => file(index)), file }
}
