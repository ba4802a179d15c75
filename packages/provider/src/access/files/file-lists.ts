import type { Asset, AssetService } from '@tidegate/catalog'
import { AssetError, type Service, ValidationError } from '@tidegate/protocol'
import { publicNameProblem } from '@tidegate/protocol/public-name'
import {
  type FileDescription,
  fileAt,
  openFiles,
  type StorageRegistry,
  type StoredFile,
  UndecryptableFiles,
} from '@tidegate/storage'
import type { ProviderKeys } from '../provider-keys.js'
import { isInDatatoken, signatureNeeded } from './datatoken-files.js'
import { FileIdentities } from './file-identity.js'

const KEY_MISSING =
  'This provider lacks the key that the files were encrypted to. That is its fault: tell its operator, and do not pay.'

/** The decrypted file list of one service. */
export interface FileList {
  /** Returns every file with its storage kind. A file with an unknown descriptor is not valid. */
  all(): StoredFile[]
  /** Returns the file at an index. Throws AssetError if there is none. */
  at(index: number): StoredFile
  /** The storage objects. They hold locations and keys: for encryption only. */
  readonly objects: readonly unknown[]
  readonly identities: FileIdentities
}

/** Decrypts file lists. Each outcome is cached as long as the document of its service, since decryption is expensive. */
export class FileLists {
  private readonly cache = new WeakMap<object, FileList | AssetError>()

  constructor(
    private readonly storages: StorageRegistry,
    /** Accepts lists that name no NFT and datatoken, as in documents of version 4.0.0. */
    private readonly allowUnbound: boolean,
    private readonly keys: Pick<ProviderKeys, 'isNeeded'>,
    /** Called with the storage objects of each decrypted list. */
    private readonly onOpened: (asset: Asset, encrypted: string, objects: readonly unknown[]) => void = () => undefined,
  ) {}

  /**
   * Returns the file list of a service. Throws AssetError if it cannot be decrypted, or belongs to another asset:
   * `PROVIDER_KEY_MISSING` if it needs a key of this provider that is not configured, `FILES_IN_DATATOKEN` if it is not in the document.
   */
  of(asset: Asset, { service }: AssetService): FileList {
    const cached = this.cache.get(service)
    if (cached instanceof AssetError) throw cached
    if (cached) return cached
    const objects = this.tried(asset, service)
    this.onOpened(asset, service.files, objects)
    const bound: StoredFile[] = []
    const at = (index: number) => {
      bound[index] ??= this.bind(onChain(fileAt(objects, index), asset.chain.chainId))
      return bound[index]
    }
    const identities = new FileIdentities(asset.ddo.id, objects, asset.chain.keys)
    const list = { objects, identities, at, all: () => objects.map((_, index) => at(index)) }
    this.cache.set(service, list)
    return list
  }

  /** Decrypts a list. Remembers that it cannot be: each try costs as much as a success. */
  private tried(asset: Asset, service: Service): unknown[] {
    try {
      return this.decrypted(asset, service)
    } catch (error) {
      if (error instanceof AssetError) this.cache.set(service, error)
      throw error
    }
  }

  private decrypted(
    asset: Asset,
    { files, datatokenAddress: datatoken, serviceEndpoint: endpoint }: Service,
  ): unknown[] {
    if (isInDatatoken({ files })) throw signatureNeeded()
    const { chain, nft, published } = asset
    const { keys, chainId } = chain
    try {
      return openFiles(files, {
        ...{ keys, nft, datatoken, ddoVersion: asset.ddo.version, allowUnbound: this.allowUnbound },
      })
    } catch (error) {
      if (error instanceof UndecryptableFiles && this.keys.isNeeded({ chainId, endpoint, files, published }))
        throw new AssetError('PROVIDER_KEY_MISSING', KEY_MISSING)
      throw error
    }
  }

  /** Only this file is affected by an unsupported descriptor. */
  private bind(object: unknown): StoredFile {
    try {
      return this.storages.file(withoutWrongName(object))
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      return unusableFile(this.storages.typeOf(object))
    }
  }
}

/** Other programs write other names: those that are no public names are ignored. */
function withoutWrongName(object: unknown): unknown {
  const { name, ...rest } = (object ?? {}) as { name?: unknown }
  return name !== undefined && publicNameProblem(name) !== undefined ? rest : object
}

/** A file with an unsupported descriptor: not valid, and it cannot be opened. */
function unusableFile(type: string | undefined): StoredFile {
  const refuse = () => {
    throw new AssetError('FILES_UNREADABLE', 'Unable to get dataset files')
  }
  const described: FileDescription = { valid: false, reason: 'unsupported' }
  return {
    type: type ?? 'unknown',
    describesByReading: false,
    check: refuse,
    outline: () => described,
    describe: async () => described,
    open: async () => refuse(),
  }
}

/** Adds the chain of the asset to a file of type smartcontract that names none (wire contract, "download"). */
function onChain(object: unknown, chainId: number): unknown {
  const { type, chainId: named } = (object ?? {}) as { type?: unknown; chainId?: unknown }
  const isContract = typeof type === 'string' && type.toLowerCase() === 'smartcontract'
  return isContract && named === undefined ? { ...(object as object), chainId } : object
}
