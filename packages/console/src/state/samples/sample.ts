import { sample } from '@tidegate/client'
import { PDF_HEAD } from '../../constants.js'
import { CONSOLE_LIMITS } from '../../limits.js'
import { reading } from '../context.js'
import type { Columns } from './parquet.js'
import { type Picture, pictureOf } from './picture.js'
import { jsonTable, separatedTable, type Table } from './table.js'

/** A sample as the page shows it. */
export type Sample =
  | Table
  | Columns
  | ({ kind: 'picture'; bytes: Uint8Array<ArrayBuffer> } & Picture)
  | { kind: 'pdf'; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'text'; text: string; isCut: boolean }
  | { kind: 'unknown' }

const { table: TABLE_BYTES, text: TEXT_BYTES } = CONSOLE_LIMITS.samples

/** Reads a sample of this provider. Throws TidegateError like `sample`. */
export async function readSample(url: string, signal: AbortSignal): Promise<Sample> {
  const { bytes, contentType, name } = await sample(reading(), url, { signal })
  return shownSample(bytes, contentType, name)
}

/** Returns the part of a file that is shown. Recognises pictures, PDF and Parquet by their bytes, tables and texts by type or name. */
export async function shownSample(bytes: Uint8Array<ArrayBuffer>, type: string, name: string): Promise<Sample> {
  const picture = pictureOf(bytes)
  if (picture) return { kind: 'picture', bytes, ...picture }
  if (beginsAsPdf(bytes)) return { kind: 'pdf', bytes }
  if (endsAsParquet(bytes)) {
    const columns = (await import('./parquet.js')).parquetColumns(bytes)
    if (columns) return columns
  }
  if (/csv|tab-separated/i.test(type) || /\.(csv|tsv|tab)$/i.test(name)) {
    const table = await separatedTable(textOf(bytes, TABLE_BYTES), bytes.length > TABLE_BYTES)
    if (table) return table
  }
  if (/ndjson|jsonl/i.test(type) || /\.(jsonl|ndjson)$/i.test(name)) {
    const table = jsonTable(textOf(bytes, TABLE_BYTES), bytes.length > TABLE_BYTES)
    if (table) return table
  }
  if (!isText(bytes, type)) return { kind: 'unknown' }
  return { kind: 'text', text: textOf(bytes, TEXT_BYTES), isCut: bytes.length > TEXT_BYTES }
}

/** Whether a file begins as PDF, before which its readers accept some bytes. */
const beginsAsPdf = (bytes: Uint8Array) =>
  new TextDecoder('latin1').decode(bytes.subarray(0, PDF_HEAD)).includes('%PDF-')

/** Whether a file ends with the mark of Parquet. */
const endsAsParquet = (bytes: Uint8Array) => new TextDecoder().decode(bytes.subarray(-4)) === 'PAR1'

/** Decodes the beginning of a file. A byte that is not UTF-8 becomes U+FFFD. */
const textOf = (bytes: Uint8Array, most: number) => new TextDecoder().decode(bytes.subarray(0, most), { stream: true })

function isText(bytes: Uint8Array, type: string): boolean {
  if (/^text\/|json/i.test(type)) return true
  const beginning = bytes.subarray(0, TEXT_BYTES)
  if (beginning.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(beginning, { stream: true })
    return true
  } catch {
    return false
  }
}
