import type { Readable } from 'node:stream'
import { gunzipSync, constants as zlib } from 'node:zlib'
import type { EgressResponse } from '../egress/egress.js'
import { contentCodings } from '../egress/responses/content-codings.js'
import { STORAGE_LIMITS } from '../limits.js'
import { peeked } from './peeked.js'
import { mediaType } from './responses.js'

/** A file format that servers also declare as a content coding, as for `a.tar.gz`. */
interface Format {
  /** Matches file names of the format. */
  names: RegExp
  suffix: string
  /** Media types. The first one replaces a type of another format. */
  types: [string, ...string[]]
  magic: Buffer
}

const gzip: Format = {
  names: /\.(?:gz|gzip|tgz|taz|bgz|svgz)$/i,
  suffix: '.gz',
  types: [
    'application/gzip',
    'application/x-gzip',
    'application/x-gunzip',
    'application/x-gtar-compressed',
    'application/x-compressed-tar',
    'application/x-tgz',
  ],
  magic: Buffer.from('1f8b', 'hex'),
}
const compress: Format = {
  names: /\.(?:z|taz)$/i,
  suffix: '.Z',
  types: ['application/x-compress', 'application/x-compressed'],
  magic: Buffer.from('1f9d', 'hex'),
}
const bzip2: Format = {
  names: /\.(?:bz2|tbz2?)$/i,
  suffix: '.bz2',
  types: ['application/x-bzip2', 'application/bzip2', 'application/x-bzip'],
  magic: Buffer.from('BZh'),
}
const xz: Format = {
  names: /\.(?:xz|txz)$/i,
  suffix: '.xz',
  types: ['application/x-xz', 'application/xz'],
  magic: Buffer.from('fd377a585a00', 'hex'),
}
const zstd: Format = {
  names: /\.(?:zst|tzst)$/i,
  suffix: '.zst',
  types: ['application/zstd', 'application/x-zstd'],
  magic: Buffer.from('28b52ffd', 'hex'),
}
const FORMATS: Record<string, Format> = {
  gzip,
  'x-gzip': gzip,
  compress,
  'x-compress': compress,
  bzip2,
  'x-bzip2': bzip2,
  xz,
  'x-xz': xz,
  zstd,
}

/** A response after the check for a stored coding. */
export interface WithStoredCoding {
  response: EgressResponse
  /** Whether the content coding is the format of the file itself, and was removed from the headers. */
  stored: boolean
  /** The file name, with the suffix of the format. */
  named: string | undefined
}

/**
 * Recognizes a compressed file that is declared twice, such as `a.csv.gz` with `Content-Encoding: gzip`. Its bytes are the file,
 * like in browsers, and are not decoded. Returns the response unchanged if the bytes show another format, or that the server
 * has compressed the file once more for the transfer.
 */
export async function withStoredCoding(response: EgressResponse, name: string | undefined): Promise<WithStoredCoding> {
  const format = declaredFormat(response, name)
  if (!format) return { response, stored: false, named: name }
  const { head, body } = await headOf(response.body)
  if (!startsWith(head, format) || startsWith(decodedHead(head, format), format))
    return { response: { ...response, body }, stored: false, named: name }
  const { 'content-encoding': _coding, 'content-type': type, ...headers } = response.headers
  const contentType = format.types.includes(mediaType(type)?.toLowerCase() ?? '') ? type : format.types[0]
  const named = name === undefined || format.names.test(name) ? name : name + format.suffix
  return { response: { ...response, headers: { ...headers, 'content-type': contentType }, body }, stored: true, named }
}

/** Returns the format of a whole file if its only content coding and its name or type declare the same one. */
function declaredFormat({ status, headers }: EgressResponse, name: string | undefined): Format | undefined {
  const [coding = '', ...others] = contentCodings(headers)
  const format = others.length === 0 && Object.hasOwn(FORMATS, coding) ? FORMATS[coding] : undefined
  if (status !== 200 || !format || headers['content-length'] === '0') return undefined
  const isDeclared =
    format.names.test(name ?? '') || format.types.includes(mediaType(headers['content-type'])?.toLowerCase() ?? '')
  return isDeclared ? format : undefined
}

function startsWith(bytes: Buffer, { magic }: Format): boolean {
  return bytes.subarray(0, magic.length).equals(magic)
}

/** Returns the first decoded bytes of a head. Only for gzip, the format in which servers compress a file once more. */
function decodedHead(head: Buffer, format: Format): Buffer {
  if (format !== gzip) return Buffer.of()
  try {
    return gunzipSync(head.subarray(0, STORAGE_LIMITS.describing.codedHead), { finishFlush: zlib.Z_SYNC_FLUSH })
  } catch {
    return Buffer.of()
  }
}

/** Reads the head of a body. Also returns a body with all bytes. Takes over the source. */
async function headOf(source: Readable): Promise<{ head: Buffer; body: Readable }> {
  const read: Buffer[] = []
  let length = 0
  const body = await peeked(source, (chunk) => {
    read.push(chunk)
    length += chunk.length
    return length >= STORAGE_LIMITS.describing.codedHead
  })
  return { head: Buffer.concat(read), body }
}
