import type { AssetFile } from '@tidegate/client'
import { DistinctPaths } from '@tidegate/protocol/distinct-paths'
import { safeFileName } from './shell.js'

/** Returns the path of a file below the folder of its order: the publisher's, of safe names. No other file of the list has it. */
export function pathOf(files: readonly AssetFile[], wanted: number): string {
  const paths = new DistinctPaths()
  for (const { index, name = '' } of files) {
    const parts = name.split('/').flatMap((part) => safeFileName(part, '') || [])
    const path = paths.pathOf(index, parts.join('/') || `file-${index}`)
    if (index === wanted) return path
  }
  return `file-${wanted}`
}
