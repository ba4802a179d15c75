import { BOUNDS } from '../bounds.js'

/** What may stand between the quotes of an entity tag, and the whole of one (RFC 9110). */
const TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/

/** The next tag of a list, up to the comma behind it or to the end. Sticky, and without a choice to go back on. */
const LISTED = /[\t ,]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*(?=,|$)/y

/** Whether it is an entity tag, weak or strong, of a length that servers use. */
export function isEntityTag(text: string): boolean {
  return text.length <= BOUNDS.headers.etag && TAG.test(text)
}

/** Whether the tag promises the same meaning alone, not the same bytes. */
export function isWeak(tag: string): boolean {
  return tag.startsWith('W/')
}

/** Whether an If-None-Match names every file there is. */
export function isAnyTag(list: string): boolean {
  return list.length <= BOUNDS.headers.condition && list.trim() === '*'
}

/** The tags of an If-None-Match; none where it is malformed, too long or holds too many. */
export function entityTags(list: string): string[] {
  if (list.length > BOUNDS.headers.condition) return []
  const tags: string[] = []
  LISTED.lastIndex = 0
  for (let at = 0; ; at = LISTED.lastIndex) {
    const [, tag] = LISTED.exec(list) ?? []
    if (tag === undefined) return /^[\t ,]*$/.test(list.slice(at)) ? tags : []
    if (tags.push(tag) > BOUNDS.headers.conditionTags) return []
  }
}

/** Whether a file with this tag is one that an If-None-Match names, by the weak comparison that is right there. */
export function isNamed(list: string | undefined, etag: string): boolean {
  if (list === undefined) return false
  return isAnyTag(list) || entityTags(list).some((tag) => opaque(tag) === opaque(etag))
}

function opaque(tag: string): string {
  return isWeak(tag) ? tag.slice(2) : tag
}
