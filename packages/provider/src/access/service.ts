import { type Asset, type AssetService, serviceOf } from '@tidegate/catalog'
import { assertConsumable } from '@tidegate/protocol'
import type { StoredFile } from '@tidegate/storage'
import type { Access } from './access.js'
import type { FileIdentities } from './files/file-identity.js'

type ServiceAccess = Pick<Access, 'assets' | 'fileLists' | 'withheld'>

/** A service that may be accessed by its own state and by that of its asset. */
export interface OpenService extends AssetService {
  asset: Asset
  /** Decrypts the file list. Returns each file with its storage kind. Throws AssetError. */
  files(): StoredFile[]
  /** Returns the number of files. Throws AssetError. */
  count(): number
  /** Returns the file at an index. A file with an unknown descriptor is not valid. Throws AssetError. */
  file(index: number): StoredFile
  /** Returns the identities of the files. Throws AssetError. */
  identities(): Promise<FileIdentities>
}

/**
 * Returns a service by DID and id. Throws AssetError if there is none, AccessError if a state or the operator forbids access, and
 * StateError.
 */
export async function openService(access: ServiceAccess, did: string, serviceId: string): Promise<OpenService> {
  await access.withheld.assertServed(did)
  return publishedService(access, did, serviceId)
}

/** Like `openService` for the publisher, who may mend an asset that is withheld. */
export async function publishedService(
  { assets, fileLists }: Omit<ServiceAccess, 'withheld'>,
  did: string,
  serviceId: string,
): Promise<OpenService> {
  const asset = await assets.resolve(did)
  assertConsumable(asset.state)
  const found = serviceOf(asset, serviceId)
  assertConsumable(found.service.state ?? asset.state)
  return openedService(fileLists, asset, found)
}

/** Returns a service with the readers of its files. */
export function openedService(fileLists: Access['fileLists'], asset: Asset, found: AssetService): OpenService {
  const list = () => fileLists.of(asset, found)
  return {
    asset,
    service: found.service,
    index: found.index,
    files: () => list().all(),
    count: () => list().objects.length,
    file: (index) => list().at(index),
    identities: () => list().identities.prepare(),
  }
}
