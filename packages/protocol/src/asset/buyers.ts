import { addressIn, fieldsOf, type Json, listOf, plainText } from '../values/fields.js'
import type { Buyers } from './types.js'

/** Most entries, and most accounts of all entries, that are read: the checksum of an address takes long. */
const MOST = 1_000

/**
 * Returns who may buy, by the credentials of a document or service; undefined if everybody may. The provider decides: this
 * is for people.
 */
export function buyersOf(credentials: unknown, chainId: number): Buyers | undefined {
  const written = Array.isArray(credentials) ? listOf(credentials, MOST).map(fieldsOf) : [fieldsOf(credentials)]
  const entries = written
    .flatMap((one) => ('type' in one ? [one] : listOf(one.allow, MOST).map(fieldsOf)))
    .filter((entry) => !isOpen(entry))
  if (entries.length === 0) return undefined
  const values = entries.filter((entry) => !isList(entry)).flatMap(({ values }) => listOf(values, MOST))
  const isPresented = entries.some((entry) => !isList(entry) && typeOf(entry) !== 'address')
  const presents = isPresented ? { presents: true as const } : {}
  if (values.includes('*')) return isPresented ? { ...presents, accounts: [], lists: [] } : undefined
  const accounts = values
    .slice(0, MOST)
    .map((value) => addressIn(fieldsOf(value).address ?? value))
    .filter((one) => one !== undefined)
  const lists = entries.filter(isList).flatMap(({ accessList, chainId: own }) => {
    const address = addressIn(accessList)
    return address ? [{ address, chainId: Number.isSafeInteger(own) ? (own as number) : chainId }] : []
  })
  return { ...presents, accounts: [...new Set(accounts)], lists: lists.slice(0, MOST) }
}

const typeOf = ({ type }: Json) => plainText(type).toLowerCase()
/** Returns whether an entry of credentials names an access list. */
export const isList = (entry: Json): boolean => typeOf(entry) === 'accesslist'

/** Whether an entry restricts nobody: front ends write an empty one. */
const isOpen = (entry: Json) => typeOf(entry) === 'address' && Array.isArray(entry.values) && entry.values.length === 0
