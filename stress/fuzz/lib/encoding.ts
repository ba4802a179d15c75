import { gunzipSync, gzipSync } from 'node:zlib'

/** Characters above which an input is saved compressed: most long ones are repetitive. */
const COMPRESS_ABOVE = 4096

/** Encodes an input as JSON, including what JSON cannot represent: bytes, big integers, undefined, NaN, -0, infinities. */
export function encode(input: unknown): unknown {
  const plain = plainOf(input)
  const text = JSON.stringify(plain)
  return text.length > COMPRESS_ABOVE ? { $gzip: gzipSync(text, { level: 9 }).toString('base64') } : plain
}

/** Decodes an encoded input. */
export function decode(encoded: unknown): unknown {
  const { $gzip } = Object(encoded) as { $gzip?: string }
  return restored($gzip === undefined ? encoded : JSON.parse(gunzipSync(Buffer.from($gzip, 'base64')).toString()))
}

function plainOf(value: unknown): unknown {
  if (value === undefined) return { $undefined: true }
  if (typeof value === 'bigint') return { $bigint: String(value) }
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return { $number: Object.is(value, -0) ? '-0' : String(value) }
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('hex') }
  if (Array.isArray(value)) return Array.from(value, plainOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainOf(part)]))
}

function restored(plain: unknown): unknown {
  if (Array.isArray(plain)) return plain.map(restored)
  if (typeof plain !== 'object' || plain === null) return plain
  const { $undefined, $bigint, $number, $bytes } = plain as Record<string, string | undefined>
  if ($undefined) return undefined
  if (typeof $bigint === 'string') return BigInt($bigint)
  if (typeof $number === 'string') return Number($number)
  if (typeof $bytes === 'string') return Buffer.from($bytes, 'hex')
  return Object.fromEntries(Object.entries(plain).map(([name, part]) => [name, restored(part)]))
}
