import { AssetError, isAddressText, PROTOCOL_LIMITS, parseJson } from '@tidegate/protocol'
import { decrypt, type ProviderKey } from '@tidegate/protocol/keys'
import { type Address, isAddressEqual } from 'viem'
import { STORAGE_LIMITS } from './limits.js'

const MESSAGE = 'Unable to get dataset files'

/** The asset of the encrypted files of a service. */
export interface FilesOwner {
  keys: readonly ProviderKey[]
  nft: Address
  datatoken: Address
  ddoVersion: string
  /** Accepts the old form: a plain list without NFT and datatoken. */
  allowUnbound: boolean
}

/**
 * Decrypts the `files` of a service. Returns its unchecked storage objects.
 * @throws AssetError if they were not encrypted for this provider, NFT and datatoken: copied files are useless
 */
export function openFiles(encrypted: string, owner: FilesOwner): unknown[] {
  const content = decryptedJson(encrypted, owner.keys)
  if (Array.isArray(content)) {
    if (owner.allowUnbound && owner.ddoVersion === '4.0.0') return checkedLength(content)
    throw unreadable()
  }
  const { nftAddress, datatokenAddress, files } = (content ?? {}) as Record<string, unknown>
  if (!isSame(nftAddress, owner.nft) || !isSame(datatokenAddress, owner.datatoken)) throw unreadable()
  if (!Array.isArray(files)) throw unreadable()
  return checkedLength(files)
}

function checkedLength(files: unknown[]): unknown[] {
  if (files.length === 0 || files.length > STORAGE_LIMITS.files.count) throw unreadable()
  return files
}

/** Returns the storage object at an index of the list. Throws AssetError. */
export function fileAt(files: unknown[], index: number): unknown {
  if (index < 0 || index >= files.length) throw new AssetError('NO_SUCH_FILE', `No such fileIndex ${index}`)
  return files[index]
}

/** None of the keys decrypts the files. */
export class UndecryptableFiles extends AssetError {
  constructor() {
    super('FILES_UNREADABLE', MESSAGE)
  }
}

/** Whether one of the keys decrypts the files. */
export function canDecrypt(encrypted: string, keys: readonly ProviderKey[]): boolean {
  return decrypted(encrypted, keys) !== undefined
}

function decrypted(encrypted: string, keys: readonly ProviderKey[]): Buffer | undefined {
  try {
    return decrypt(keys, Buffer.from(encrypted.replace(/^0x/i, ''), 'hex'))
  } catch {
    return undefined
  }
}

function decryptedJson(encrypted: string, keys: readonly ProviderKey[]): unknown {
  const content = decrypted(encrypted, keys)
  if (!content) throw new UndecryptableFiles()
  try {
    return parseJson(content.toString('utf8'), PROTOCOL_LIMITS.filesObject)
  } catch {
    throw unreadable()
  }
}

function isSame(value: unknown, address: Address): boolean {
  return isAddressText(value) && isAddressEqual(value, address)
}

function unreadable(): AssetError {
  return new AssetError('FILES_UNREADABLE', MESSAGE)
}
