import { memoized } from '@tidegate/protocol'
import type { ProviderKey } from '@tidegate/protocol/keys'
import { type SealingKeys, seal, sealingKeys, unseal } from '@tidegate/protocol/keys'
import {
  entityTags,
  isEntityTag,
  isWeak,
  isWildcard,
  type OpenedFile,
  type OpenRequest,
  STORAGE_LIMITS,
} from '@tidegate/storage'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'

/** The file that an entity tag belongs to. The same file under another DID, service or index has unrelated tags. */
export interface TaggedFile {
  /** Provider keys of the chain: the current one, which seals, then previous ones, which still unseal. */
  keys: readonly ProviderKey[]
  did: string
  serviceId: string
  fileIndex: number
}

/** Domain separation: keeps tag keys apart from every other use of the provider key. */
const PURPOSE = 'tidegate entity tag v1'

/** Derived keys and cached tags of one provider key: derivation and sealing are both expensive. */
interface Derived extends SealingKeys {
  sealed: LRUCache<string, string>
}

/** Cached tags for each key: 2 MB at most, since tags, DIDs and service ids are bounded. */
const CACHED_TAGS = 1000

/**
 * Returns the sealed form of a storage's entity tag, which may itself be the secret location (a CID, a path). Clients see
 * a keyed hash; every instance with the key can recover the original. Undefined for anything that is not a valid entity
 * tag of bounded length.
 */
export function sealedTag(tag: string, file: TaggedFile): string | undefined {
  const [key] = file.keys
  if (!key || !isEntityTag(tag)) return undefined
  const keys = derived(key)
  const context = contextOf(file)
  const cached = keys.sealed.get(context + tag)
  if (cached !== undefined) return cached
  const sealed = seal(keys, context, Buffer.from(tag, 'latin1')).toString('base64url')
  const sealedEntityTag = `${isWeak(tag) ? 'W/' : ''}"${sealed}"`
  keys.sealed.set(context + tag, sealedEntityTag)
  return sealedEntityTag
}

/**
 * Returns the storage's tag behind a sealed one, also if an intermediary weakened it. Undefined if it was not issued for
 * this very file.
 */
export function ownTag(tag: string, file: TaggedFile): string | undefined {
  const [, text] = /^(?:W\/)?"([\w-]+)"$/.exec(tag) ?? []
  if (text === undefined) return undefined
  const sealed = Buffer.from(text, 'base64url')
  // accept the canonical encoding only: the last base64url character may carry unused bits
  if (sealed.toString('base64url') !== text) return undefined
  for (const key of file.keys) {
    const own = unseal(derived(key), contextOf(file), sealed)
    if (own) return own.toString('latin1')
  }
  return undefined
}

/** Replaces the storage's entity tag by a sealed one, or removes it if it cannot be sealed. */
export function withSealedTag(opened: OpenedFile, file: TaggedFile): OpenedFile {
  const { etag: own } = opened.headers
  if (own === undefined) return opened
  const etag = sealedTag(own, file)
  if (etag !== undefined) return { ...opened, headers: { ...opened.headers, etag } }
  const { etag: _, ...headers } = opened.headers
  return { ...opened, headers }
}

/**
 * Returns the range and conditional headers for the storage: those of the consumer, with sealed tags replaced by the
 * storage's own. Tags not issued for this file are dropped. Never throws: malformed conditions are ignored.
 */
export function conditionsFor(file: TaggedFile, received: FastifyRequest['headers']): OpenRequest['headers'] {
  const { range, 'if-range': ifRange, 'if-none-match': noneMatch, 'if-modified-since': since } = received
  const passed: OpenRequest['headers'] = {}
  const validator = ifRange === undefined ? undefined : rangeValidator(String(ifRange), file)
  // If-Range does not match this file: send the whole file (RFC 9110, section 13.1.5)
  if (range !== undefined && (ifRange === undefined || validator !== undefined)) {
    passed.range = range
    if (validator !== undefined) passed['if-range'] = validator
  }
  const named = noneMatch === undefined ? undefined : namedTags(noneMatch, file)
  if (named !== undefined) passed['if-none-match'] = named
  // If-None-Match takes precedence over the time (RFC 9110), also if none of its tags was issued for this file
  if (since !== undefined && (noneMatch === undefined || named !== undefined)) passed['if-modified-since'] = since
  return passed
}

/** HTTP-date in all its forms, obsolete ones included (RFC 9110); matches nothing that could be a tag or a path. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? [A-Za-z0-9 -]{6,11} \d\d:\d\d:\d\d (?:GMT|\d{4})$/

/** Returns the If-Range for the storage: a date unchanged, or the strong tag behind a sealed one. */
function rangeValidator(ifRange: string, file: TaggedFile): string | undefined {
  if (HTTP_DATE.test(ifRange)) return ifRange
  if (ifRange.length > STORAGE_LIMITS.headers.condition || isWeak(ifRange)) return undefined
  const own = ownTag(ifRange, file)
  return own === undefined || isWeak(own) ? undefined : own
}

function namedTags(noneMatch: string, file: TaggedFile): string | undefined {
  if (isWildcard(noneMatch)) return '*'
  const own = entityTags(noneMatch).flatMap((tag) => ownTag(tag, file) ?? [])
  return own.length > 0 ? [...new Set(own)].join(', ') : undefined
}

function contextOf({ did, serviceId, fileIndex }: TaggedFile): string {
  return JSON.stringify([did, serviceId, fileIndex])
}

const derived = memoized(
  (key: ProviderKey): Derived => ({
    ...sealingKeys(key, PURPOSE),
    sealed: new LRUCache<string, string>({ max: CACHED_TAGS }),
  }),
)
