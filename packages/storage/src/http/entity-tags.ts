import { STORAGE_LIMITS } from '../limits.js'

/** An entity tag (RFC 9110). */
const TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/

/** The next tag of a list, up to a comma or the end. Sticky and without backtracking. */
const LISTED = /[\t ,]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*(?=,|$)/y

/** Whether a text is an entity tag, weak or strong, of limited length. */
export function isEntityTag(text: string): boolean {
  return text.length <= STORAGE_LIMITS.headers.etag && TAG.test(text)
}

/** Whether a tag is weak: equivalent content, not equal bytes. */
export function isWeak(tag: string): boolean {
  return tag.startsWith('W/')
}

/** Whether an If-None-Match is `*`, which matches any file. */
export function isWildcard(list: string): boolean {
  return list.length <= STORAGE_LIMITS.headers.condition && list.trim() === '*'
}

/** Parses the tags of an If-None-Match. Returns none if it is malformed or exceeds a limit. */
export function entityTags(list: string): string[] {
  if (list.length > STORAGE_LIMITS.headers.condition) return []
  const tags: string[] = []
  LISTED.lastIndex = 0
  for (let at = 0; ; at = LISTED.lastIndex) {
    const [, tag] = LISTED.exec(list) ?? []
    if (tag === undefined) return /^[\t ,]*$/.test(list.slice(at)) ? tags : []
    if (tags.push(tag) > STORAGE_LIMITS.headers.conditionTags) return []
  }
}

/** Whether an If-None-Match matches an entity tag, by weak comparison (RFC 9110). */
export function matchesIfNoneMatch(list: string | undefined, etag: string): boolean {
  if (list === undefined) return false
  return isWildcard(list) || entityTags(list).some((tag) => opaque(tag) === opaque(etag))
}

function opaque(tag: string): string {
  return isWeak(tag) ? tag.slice(2) : tag
}
