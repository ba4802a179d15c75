import { type Address, getAddress, isAddress } from 'viem'
import { ASSET_LIMITS } from '../limits.js'
import { printable } from './text.js'

/** A JSON object of unknown fields. */
export type Json = Record<string, unknown>

/** Returns an object of named fields; an empty one for anything else. */
export function fieldsOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

/** Returns at most `most` entries of a list; an empty one for anything else. */
export function listOf(value: unknown, most: number): unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : []
}

/** Returns a value as text; empty for objects: one with a `toString` of its own cannot be text, and would throw. */
export const plainText = (value: unknown): string =>
  value === undefined || typeof value === 'object' ? '' : String(value)

/** Returns one line of text, in version 5 possibly from an object with its language. Empty for anything else. */
export function lineOf(value: unknown): string {
  const text = typeof value === 'string' ? value : fieldsOf(value)['@value']
  return typeof text === 'string' ? printable(text, 500) : ''
}

/** Returns text of several lines, without control characters. */
export function textOf(value: unknown, most: number = ASSET_LIMITS.text): string {
  const text = typeof value === 'string' ? value : fieldsOf(value)['@value']
  if (typeof text !== 'string') return ''
  return text
    .slice(0, most)
    .split(/\r\n|\n|\r/)
    .map((line) => printable(line, most))
    .join('\n')
}

/** Returns a checksummed address; undefined for anything else. */
export function addressIn(value: unknown): Address | undefined {
  return typeof value === 'string' && isAddress(value, { strict: false }) ? getAddress(value) : undefined
}

/** Returns the time of a text; undefined for anything else. */
export function dateIn(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined
  const date = new Date(value)
  return Number.isFinite(date.getTime()) ? date : undefined
}

/** Returns an untrusted count; zero if it is invalid. */
export function countIn(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}

/** Returns an object without its undefined fields. */
export function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never
}

/** Returns an untrusted block number; 0 if it is invalid. */
export function blockIn(value: unknown): number {
  const block = Number(plainText(value))
  return Number.isSafeInteger(block) && block > 0 ? block : 0
}
