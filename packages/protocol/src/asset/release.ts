import { ASSET_LIMITS } from '../limits.js'
import { countIn, dateIn, defined, fieldsOf, type Json, listOf, textOf } from '../values/fields.js'
import { printable } from '../values/text.js'
import type { AssetFile, Release } from './types.js'

/** Formats of a release that are listed at most. */
const FORMATS = 10
/** A format: an ending of a name, possibly of a compressed file. */
const FORMAT = /^[a-z0-9]{1,8}(?:\.[a-z0-9]{1,8})?$/

/** Endings of compressed files, which follow the ending of their content. */
const ENDING = /\.((?:(?:csv|tsv|json|ndjson|jsonl|xml|txt|tar)\.)?[a-z0-9]{1,8})$/
/** Media types whose usual ending is not their second part. */
const BY_TYPE: Record<string, string> = {
  'text/plain': 'txt',
  'image/jpeg': 'jpg',
  'application/gzip': 'gz',
  'text/tab-separated-values': 'tsv',
  'application/x-ndjson': 'ndjson',
  'application/vnd.apache.parquet': 'parquet',
}

/** Returns what the publisher tells of the version of a service's files. Untrusted. */
export function releaseOf(service: Json): Release | undefined {
  const { number, notes, date, files, bytes, formats } = fieldsOf(fieldsOf(service.additionalInformation).release)
  if (countIn(number) === 0) return undefined
  return defined({
    number: countIn(number),
    notes: textOf(notes, ASSET_LIMITS.notes).trim() || undefined,
    date: dateIn(date),
    files: countIn(files) || undefined,
    bytes: typeof bytes === 'number' ? countIn(bytes) : undefined,
    formats: listOf(formats, FORMATS).filter((one): one is string => typeof one === 'string' && FORMAT.test(one)),
  })
}

/** Returns the facts of a release by the provider's descriptions of all its files, if there are any: formats with the most files first. */
export function releaseFacts(
  files: readonly Pick<AssetFile, 'name' | 'contentType' | 'size'>[],
): Partial<Pick<Release, 'files' | 'bytes' | 'formats'>> {
  if (files.length === 0) return {}
  const counts = new Map<string, number>()
  for (const file of files) {
    const format = formatOf(file)
    if (format) counts.set(format, (counts.get(format) ?? 0) + 1)
  }
  const formats = [...counts].sort(([, one], [, other]) => other - one).map(([format]) => format)
  const bytes = files.every(({ size }) => size !== undefined) && files.reduce((sum, { size = 0 }) => sum + size, 0)
  return { files: files.length, ...(bytes === false ? {} : { bytes }), formats: formats.slice(0, FORMATS) }
}

/** Returns the format of a file: the ending of its name, otherwise by its media type. */
export function formatOf({ name = '', contentType = '' }: Pick<AssetFile, 'name' | 'contentType'>): string | undefined {
  const ending = ENDING.exec(name.slice(-32).toLowerCase())?.[1]
  if (ending && /[a-z]/.test(ending)) return ending
  const type = printable(contentType, 100).split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const usual = BY_TYPE[type] ?? type.split('/')[1] ?? ''
  return type !== 'application/octet-stream' && FORMAT.test(usual) ? usual : undefined
}
