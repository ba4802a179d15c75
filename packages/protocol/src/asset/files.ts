import { ASSET_LIMITS, NAME_LIMITS } from '../limits.js'
import { defined, fieldsOf, lineOf, listOf, plainText } from '../values/fields.js'
import { printable } from '../values/text.js'
import type { AssetFile } from './types.js'

/** Reads the untrusted descriptions of the files of a service. */
export function filesIn(told: unknown): AssetFile[] {
  return listOf(told, ASSET_LIMITS.describedFiles).map(fileOf)
}

/** Reads an untrusted description of a file. */
export function fileOf(told: unknown, at: number): AssetFile {
  const { index, id, valid, contentLength, contentType, filename, name } = fieldsOf(told)
  const size = /^\d{1,15}$/.test(plainText(contentLength)) ? Number(contentLength) : undefined
  const given = typeof name === 'string' ? printable(name, NAME_LIMITS.fileName.pathBytes) : ''
  return {
    index: Number.isSafeInteger(index) ? (index as number) : at,
    ...defined({
      id: lineOf(id) || undefined,
      name: given || lineOf(filename) || undefined,
      contentType: lineOf(contentType) || undefined,
      size,
    }),
    available: valid === true,
  }
}
