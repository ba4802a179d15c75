import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { BOUNDS } from '../bounds.js'
import type { ProviderKey } from '../crypto/keys.js'
import { type SealingKeys, seal, sealingKeys, unseal } from '../crypto/sealing.js'
import { entityTags, isAnyTag, isEntityTag, isWeak } from '../storage/entity-tags.js'
import type { OpenedFile, OpenRequest } from '../storage/storage.js'

/** Which file a tag is of: the same file under another DID, service or index has unrelated tags. */
export interface TaggedFile {
  /** The provider keys of its chain: the one in use, which seals, and those before it, which are still understood. */
  keys: readonly ProviderKey[]
  did: string
  serviceId: string
  fileIndex: number
}

/** Label that keeps the keys for tags apart from every other use of the provider key. */
const PURPOSE = 'tidegate entity tag v1'

/** What belongs to one provider key: deriving costs more than sealing, and sealing more than looking up. */
interface Derived extends SealingKeys {
  sealed: LRUCache<string, string>
}

const DERIVED = new WeakMap<ProviderKey, Derived>()

/** Tags that are remembered for each key: 2 MB at most, since tags, DIDs and service ids are bounded. */
const REMEMBERED = 1000

/**
 * The tag that stands for a tag of the storage, which may be the secret location itself (a CID, a path). It is a keyed
 * hash to everybody else, and the storage's own tag to every instance with the key. Undefined for what is no entity
 * tag, or too long to be one.
 */
export function sealedTag(tag: string, file: TaggedFile): string | undefined {
  const [key] = file.keys
  if (!key || !isEntityTag(tag)) return undefined
  const keys = derived(key)
  const context = contextOf(file)
  const known = keys.sealed.get(context + tag)
  if (known !== undefined) return known
  const sealed = seal(keys, context, Buffer.from(tag, 'latin1')).toString('base64url')
  const handedOut = `${isWeak(tag) ? 'W/' : ''}"${sealed}"`
  keys.sealed.set(context + tag, handedOut)
  return handedOut
}

/** The storage's own tag behind one that was handed out for this very file, whoever weakened it; undefined for any other. */
export function ownTag(tag: string, file: TaggedFile): string | undefined {
  const [, text] = /^(?:W\/)?"([\w-]+)"$/.exec(tag) ?? []
  if (text === undefined) return undefined
  const sealed = Buffer.from(text, 'base64url')
  // one spelling alone: the last character may hold bits that do not count
  if (sealed.toString('base64url') !== text) return undefined
  for (const key of file.keys) {
    const own = unseal(derived(key), contextOf(file), sealed)
    if (own) return own.toString('latin1')
  }
  return undefined
}

/** An opened file as it is handed out: with the service's own tag in place of the storage's, or with none. */
export function withSealedTag(opened: OpenedFile, file: TaggedFile): OpenedFile {
  const { etag, ...headers } = opened.headers
  if (etag === undefined) return opened
  const sealed = sealedTag(etag, file)
  return { ...opened, headers: sealed === undefined ? headers : { ...headers, etag: sealed } }
}

/**
 * What a storage is asked under: the consumer's range, and his conditions with the storage's own tags in them. A tag
 * that was not handed out for this file names no copy of it. Never throws: a condition that makes no sense is none.
 */
export function conditionsFor(file: TaggedFile, asked: FastifyRequest['headers']): OpenRequest['headers'] {
  const { range, 'if-range': ifRange, 'if-none-match': noneMatch, 'if-modified-since': since } = asked
  const passed: OpenRequest['headers'] = {}
  const validator = ifRange === undefined ? undefined : rangeValidator(String(ifRange), file)
  // a range of another version is not wanted: then it is the whole file
  if (range !== undefined && (ifRange === undefined || validator !== undefined)) {
    passed.range = range
    if (validator !== undefined) passed['if-range'] = validator
  }
  const named = noneMatch === undefined ? undefined : namedTags(noneMatch, file)
  if (named !== undefined) passed['if-none-match'] = named
  // with tags in the request the time does not count, also where none of them is a copy of this file
  if (since !== undefined && (noneMatch === undefined || named !== undefined)) passed['if-modified-since'] = since
  return passed
}

/** The forms of a time in a header, old ones included (RFC 9110); nothing that could be a tag or a path. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? [A-Za-z0-9 -]{6,11} \d\d:\d\d:\d\d (?:GMT|\d{4})$/

/** What an If-Range says to the storage: a time as it is, or the strong tag that it names. */
function rangeValidator(ifRange: string, file: TaggedFile): string | undefined {
  if (HTTP_DATE.test(ifRange)) return ifRange
  if (ifRange.length > BOUNDS.headers.condition || isWeak(ifRange)) return undefined
  const own = ownTag(ifRange, file)
  return own === undefined || isWeak(own) ? undefined : own
}

function namedTags(noneMatch: string, file: TaggedFile): string | undefined {
  if (isAnyTag(noneMatch)) return '*'
  const own = entityTags(noneMatch).flatMap((tag) => ownTag(tag, file) ?? [])
  return own.length > 0 ? [...new Set(own)].join(', ') : undefined
}

function contextOf({ did, serviceId, fileIndex }: TaggedFile): string {
  return JSON.stringify([did, serviceId, fileIndex])
}

function derived(key: ProviderKey): Derived {
  const known = DERIVED.get(key)
  if (known) return known
  const fresh = { ...sealingKeys(key, PURPOSE), sealed: new LRUCache<string, string>({ max: REMEMBERED }) }
  DERIVED.set(key, fresh)
  return fresh
}
