import { resolve } from 'node:path'
import { withoutMark } from '@tidegate/protocol'
import { BUCKET_NAME, REGION_NAME } from '@tidegate/storage'
import { PROVIDER_LIMITS } from '../../limits.js'
import { workersHere } from '../../process/worker-count.js'

export function text(raw: string): string {
  return raw
}

/** Accepts one line of text of limited length, without control characters. */
export function shortText(max: number): (raw: string) => string {
  return (raw) => {
    if (raw.length > max || /\p{C}/u.test(raw)) throw new Error(`must be one line of at most ${max} characters`)
    return raw
  }
}

/** Parses comma-separated paths. */
export function paths(raw: string): string[] {
  return raw.split(',').map((part) => part.trim())
}

export function boolean(raw: string): boolean {
  if (/^(1|true|yes|on)$/i.test(raw)) return true
  if (/^(0|false|no|off)$/i.test(raw)) return false
  throw new Error('must be true or false')
}

export function integer(min: number, max: number): (raw: string) => number {
  return (raw) => {
    const value = Number(raw)
    if (!/^\d+$/.test(raw) || value < min || value > max)
      throw new Error(`must be a whole number from ${min} to ${max}`)
    return value
  }
}

/** Accepts an amount of whole tokens with at most 18 decimals. */
export function decimal(raw: string): string {
  if (!/^\d{1,15}(\.\d{1,18})?$/.test(raw)) throw new Error('must be a number such as 0.05')
  return raw
}

/** Parses a number of workers. */
export function workers(raw: string): number {
  if (raw.toLowerCase() === 'auto') return workersHere()
  const { most } = PROVIDER_LIMITS.workers
  const value = Number(raw)
  if (!/^\d+$/.test(raw) || value < 1 || value > most)
    throw new Error(`must be auto, or a whole number from 1 to ${most}`)
  return value
}

export function oneOf<T extends string>(...values: T[]): (raw: string) => T {
  return (raw) => {
    const found = values.find((value) => value === raw.toLowerCase())
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`)
    return found
  }
}

/** Validates the name of a bucket of an S3-compatible service. */
export function bucket(raw: string): string {
  if (!BUCKET_NAME.test(raw)) throw new Error('must be the name of a bucket')
  return raw
}

export function region(raw: string): string {
  if (!REGION_NAME.test(raw)) throw new Error('must be the name of a region')
  return raw
}

/** Parses a key prefix of a bucket. Adds the slash at its end. */
export function keyPrefix(raw: string): string {
  if (!/^[\w.-]+(?:\/[\w.-]+)*\/?$/.test(raw) || raw.length > 512 || raw.split('/').some((part) => /^\.+$/.test(part)))
    throw new Error('must be letters, digits, ".", "_" and "-", in parts separated by "/"')
  return raw.endsWith('/') ? raw : `${raw}/`
}

/** Parses a log level, also the names of the legacy service. */
export function logLevel(raw: string): string {
  const legacy: Record<string, string> = { critical: 'fatal', warning: 'warn', notset: 'trace' }
  const level = raw.toLowerCase()
  return oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')(legacy[level] ?? level)
}

/** Parses JSON. Throws an Error that does not quote it. */
export function parseObject(raw: string): object {
  try {
    return JSON.parse(withoutMark(raw)) as object
  } catch {
    throw new Error('is not valid JSON') // the message of JSON.parse would quote the text, which may be a key
  }
}

/** Accepts a secret of at least `minLength` characters. */
export function secretText(minLength: number): (raw: string) => string {
  return (raw) => {
    if (raw.length < minLength) throw new Error(`must have at least ${minLength} characters`)
    return raw
  }
}

/** Parses one secret of at least `minLength` characters, or two that are separated by a comma. */
export function secretTexts(minLength: number): (raw: string) => string[] {
  return (raw) => {
    const secrets = raw.split(',').map((part) => secretText(minLength)(part.trim()))
    if (secrets.length > 2) throw new Error('must be one secret, or two that are separated by a comma')
    return secrets
  }
}

/** Parses the path of a folder that may be missing. Node never returns from making one below /proc. */
export function folder(raw: string): string {
  if (/^\/proc(\/|$)/.test(resolve(raw))) throw new Error('must not be below /proc')
  return raw
}
