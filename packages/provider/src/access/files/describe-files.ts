import type { FileProblem } from '@tidegate/protocol'
import {
  type DescribedFile,
  describeFile,
  inBatches,
  type PublishedDescriptions,
  type StoredFile,
  type UserData,
} from '@tidegate/storage'
import type { OpenService } from '../service.js'

/** A caller without an order: its bytes and its time are limited. */
export interface AnonymousCaller {
  deadline: { readonly signal: AbortSignal; readonly aborted: boolean }
  /** Counts a file that is described. A service may have thousands. */
  countFile(): void
  /** Counts bytes that a storage sent. */
  spend(bytes: number): void
  /** Throws LimitError if no bytes are left. */
  assertBytesLeft(): void
}

export interface DescribeOptions {
  /** Files shorter than this get a checksum, in bytes. Undefined: no checksum. */
  checksumBelow?: number | undefined
}

/** A description with the type of its storage, and the publisher's name of the file. */
export type TypedDescription = DescribedFile & Pick<StoredFile, 'type' | 'publicName'>

/**
 * Describes a file of a published service, as far as a caller without an order may know it. A file whose description
 * misses the deadline is not valid. Throws AssetError, LimitError, StorageError.
 */
export async function describePublished(
  descriptions: PublishedDescriptions,
  { asset, service, file: fileAt }: OpenService,
  index: number,
  caller: AnonymousCaller,
  { checksumBelow }: DescribeOptions = {},
): Promise<TypedDescription> {
  const file = fileAt(index)
  const published = { did: asset.ddo.id, serviceId: service.id, index, files: service.files, file }
  caller.countFile()
  assertReadable(file, caller, checksumBelow)
  const description = descriptions.get(published, { checksumBelow, spend: caller.spend }, caller.deadline)
  return { ...typed(file), ...(await inTime(description, caller)) }
}

/** Describes all files of a service in batches, or the one at `only`. Throws the errors of describePublished. */
export function describeAll(
  descriptions: PublishedDescriptions,
  opened: OpenService,
  only: number | undefined,
  caller: AnonymousCaller,
  options: DescribeOptions,
): Promise<(TypedDescription & { index: number })[]> {
  const indexes = only === undefined ? [...opened.files().keys()] : [only]
  return inBatches(indexes, async (index) => {
    const description = await describePublished(descriptions, opened, index, caller, options)
    return { index, ...description }
  })
}

/** Describes the file of a storage object that the caller sent. Throws LimitError, StorageError. */
export async function describeSent(
  file: StoredFile,
  caller: AnonymousCaller,
  { checksumBelow, userdata }: DescribeOptions & { userdata: UserData | undefined },
): Promise<TypedDescription> {
  assertReadable(file, caller, checksumBelow)
  const { signal } = caller.deadline
  const description = describeFile(
    file,
    { checksumBelow, spend: caller.spend },
    { signal, budget: 'anonymous', userdata },
  )
  return { ...typed(file), ...(await inTime(description, caller)) }
}

const typed = ({ type, publicName }: StoredFile) => (publicName === undefined ? { type } : { type, publicName })

/** Returns the reason why a file is not valid. */
export function problemOf({ reason = 'failed' }: DescribedFile): FileProblem {
  return reason
}

/** Throws LimitError if the description needs bytes of the file and the caller has none left. */
function assertReadable(file: StoredFile, caller: AnonymousCaller, checksumBelow: number | undefined): void {
  if (checksumBelow !== undefined || file.describesByReading) caller.assertBytesLeft()
}

/** Resolves with the description. After the deadline, resolves with an invalid file. */
function inTime(description: Promise<DescribedFile>, { deadline }: AnonymousCaller): Promise<DescribedFile> {
  return description.catch((error: unknown) => {
    if (deadline.aborted) return { valid: false, reason: 'timeout' }
    throw error
  })
}
