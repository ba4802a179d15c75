import { assetDocument, type IndexedAsset, isConsumable, opened, ordersOf, upTo } from '@tidegate/protocol'
import { LRUCache } from 'lru-cache'
import { CATALOG_LIMITS } from '../../limits.js'
import { RowRoom } from './row-room.js'
import { asWord, wordsOf } from './words.js'

const LIMITS = CATALOG_LIMITS.search

/** One value of a served document. */
export interface Leaf {
  /** The keys of its path, separated by dots, without list indexes. */
  path: string
  value: string | number | boolean
  /** Its words in order; undefined for each word that is not indexed. */
  words: (string | undefined)[]
}

/** The searchable part of a document. */
export interface Searchable {
  did: string
  /** Deployment time of its NFT, in seconds since 1970. */
  created: number
  encrypted: boolean
  leaves: Leaf[]
  /** The value of ORDERS. */
  orders: number
  /** Every path with a value below it, including those of objects. */
  paths: Set<string>
}

/** Paths whose values are no words: file locations, purgatory of the operator's lists, and prices, which have rows of their own. */
const LEFT_OUT = new Set([
  'services.files',
  'credentialSubject.services.files',
  'purgatory',
  'stats.price',
  'indexedMetadata.stats.prices',
])

/** The number of an asset's orders. It changes with every order, so it is not in the full-text index, which is slow to write. */
export const ORDERS = 'stats.orders'

/** Fields of the index, which come first, so that a document with many values cannot displace them. */
const FIRST = [
  'id',
  'version',
  'chainId',
  'nftAddress',
  'nft',
  'event',
  'stats',
  'indexedMetadata',
  'datatokens',
  'metadata',
]

const ALIASES: [RegExp, string][] = [
  [/^_id$/, 'id'],
  [/^indexedMetadata\.(?=(?:nft|event|purgatory)(?:\.|$))/, ''],
  // one count per asset: clients sort by it and sum it up. By service it is in the document
  [/^indexedMetadata\.stats\.orders$/, ORDERS],
  [/^indexedMetadata\.stats\.datatokenAddress$/, 'datatokens.address'],
  [/^indexedMetadata\.stats\.(?=(?:name|symbol|serviceId)$)/, 'datatokens.'],
  [/^event\.tx$/, 'event.txid'],
]

/** Returns the canonical path of a field: a value in several places of a served document has one path. */
export function searchedPath(path: string): string {
  return ALIASES.reduce((found, [form, by]) => found.replace(form, by), path)
}

/** A memo of searchedPath: most documents share their paths. */
const searchedPaths = new LRUCache<string, string>(upTo(LIMITS.paths))
function pathIn(parent: string, key: string): string {
  const path = parent ? `${parent}.${clean(key)}` : clean(key)
  let found = searchedPaths.get(path)
  if (found === undefined) {
    found = searchedPath(path)
    if (path.length <= LIMITS.path) searchedPaths.set(path, found)
  }
  return found
}

/** Returns the searchable part of an asset; undefined if it must not be found. */
export function searchable(asset: IndexedAsset): Searchable | undefined {
  if (!isConsumable(asset.metadata.state)) return undefined
  const found = leavesIn(asset)
  if (!found) return undefined
  const { did, encrypted } = asset.metadata
  const created = Math.max(0, Math.floor(Date.parse(asset.nft.created) / 1000)) || 0
  return { did, created, encrypted, orders: ordersOf(asset), ...found }
}

/** Returns the searchable values of an asset's served document; undefined if the stored document is unreadable. */
function leavesIn(asset: IndexedAsset): ReturnType<typeof leavesOf> | undefined {
  try {
    const found = opened(asset)
    // a document may name a wrong chain or none
    return found && leavesOf({ ...assetDocument(found, {}), chainId: asset.chainId })
  } catch {
    return undefined
  }
}

/** Returns the searchable values of a document, within their limits. */
export function leavesOf(document: Record<string, unknown>): Pick<Searchable, 'leaves' | 'paths'> {
  const leaves: Leaf[] = []
  const paths = new Set<string>()
  const seen = new Map<string, Set<unknown>>()
  const room = new RowRoom(document)
  const rank = (key: string) => (FIRST.indexOf(key) + FIRST.length + 1) % (FIRST.length + 1)
  const walk = (value: unknown, path: string): void => {
    if (leaves.length >= LIMITS.values || room.isFull || path.length > LIMITS.path || LEFT_OUT.has(path)) return
    if (Array.isArray(value)) {
      for (const element of value) walk(element, path)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, part] of Object.entries(value)) walk(part, pathIn(path, key))
    } else if (typeof value === 'boolean' || typeof value === 'string' || Number.isFinite(value)) {
      const own = typeof value === 'string' ? clean(value) : (value as number | boolean)
      const known = seen.get(path)
      if (known?.has(own)) return
      const text = String(own)
      const word = text.length <= LIMITS.value ? asWord(text) : undefined
      if (!room.takeValue(path, text, word)) return
      if (known) known.add(own)
      else {
        seen.set(path, new Set([own]))
        for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) paths.add(path.slice(0, end))
      }
      if (path !== ORDERS) leaves.push({ path, value: own, words: word === undefined ? [] : [word] })
    }
  }
  for (const key of Object.keys(document).sort((a, b) => rank(a) - rank(b))) walk(document[key], pathIn('', key))
  addWords(leaves, room)
  return { leaves, paths }
}

const PRINTABLE = /^[ -~\n]*$/

/** Returns a text that every database can store. */
export function clean(text: string): string {
  if (PRINTABLE.test(text)) return text
  const whole = /\p{Cs}/u.test(text) ? Buffer.from(text).toString() : text
  return whole.replaceAll('\0', '\ufffd')
}

/**
 * Adds words to the values of a document, within its limits. Starts with the shortest texts. A value of a single word has its word
 * already.
 */
function addWords(leaves: Leaf[], room: RowRoom): void {
  let left: number = LIMITS.words
  const single = new Set(leaves.filter(({ words }) => words.length > 0))
  const shortest = leaves.map((leaf) => ({ leaf, text: String(leaf.value).slice(0, LIMITS.read) }))
  for (const { leaf, text } of shortest.sort((a, b) => a.text.length - b.text.length)) {
    if (left > 0 && !single.has(leaf)) {
      const words = wordsOf(text).slice(0, left)
      const end = words.findIndex((word) => !room.takeWord(leaf.path, word, text.length <= LIMITS.value))
      leaf.words = end === -1 ? words : words.slice(0, end)
    }
    left -= leaf.words.length
  }
  const places = new Map<string, number>()
  for (const leaf of leaves)
    leaf.words = leaf.words.map((word) => {
      const before = places.get(word as string) ?? 0
      places.set(word as string, before + 1)
      return before < LIMITS.places || single.has(leaf) ? word : undefined
    })
}

const DATE = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/

/** Parses a time to milliseconds since 1970, in UTC if it has no zone; undefined if it is not a time. */
export function timeOf(text: string): number | undefined {
  const [, day, time = '00:00', zone = 'Z'] = (text.length <= 40 && DATE.exec(text)) || []
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`)
  return Number.isNaN(at) ? undefined : at
}

/** Returns the number for comparisons: the value or its time. Undefined if it is neither. */
export function numberOf(value: Leaf['value']): number | undefined {
  return typeof value === 'number' ? value : typeof value === 'string' ? timeOf(value) : undefined
}

/** Returns the text for sorting and aggregations; null for numbers and too long texts. */
export function textOf(value: Leaf['value']): string | null {
  return typeof value === 'number' || String(value).length > LIMITS.value ? null : String(value)
}
