import { dataTypeOf } from '@tidegate/protocol/data-types'
import { lookup } from 'mime-types'

/** Returns the media type of a local file by its ending. */
export function mediaTypeOf(path: string): string {
  return dataTypeOf(path) ?? (lookup(path) || 'application/octet-stream')
}
