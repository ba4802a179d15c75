import type { AssetService } from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { nameInFolder, type Target } from './target.js'

/** The target with the name of the file in it, if the name is known before the download. */
export function withName(target: Target, did: string, { id, files }: AssetService, file: number): Target {
  if (target.name !== undefined) return target
  // the download has the last part of the publisher's path
  const described = files.find(({ index }) => index === file)?.name?.replace(/^.*\//s, '')
  const name = nameInFolder(target.folder, { did, service: id, file }, described)
  return name === undefined ? target : { ...target, name }
}

/** Throws CommandError if the first file is unavailable. A quote for all files names none, so the provider tests none. */
export function assertFirstAvailable({ files }: AssetService): void {
  if (files[0]?.available === false)
    throw new CommandError('FILE_UNAVAILABLE', 'file 0 is not available now. Nothing was bought.')
}

/** Sum of the known sizes in bytes, or undefined if none is known. */
export function sizeOf({ files }: AssetService, wanted: number[]): number | undefined {
  const indexes = new Set(wanted)
  const sizes = files.filter(({ index }) => indexes.has(index)).flatMap(({ size }) => size ?? [])
  return sizes.length === 0 ? undefined : sizes.reduce((sum, size) => sum + size, 0)
}
