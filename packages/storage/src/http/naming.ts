import { memoized } from '@tidegate/protocol'
import type { EgressResponse } from '../egress/egress.js'
import { safeName } from '../safe-name.js'
import { suggestedName } from './content-disposition.js'
import { latin1Text, percentDecoded } from './name-text.js'

/** Returns a safe file name: the suggested one, or with `namedByUrl` the last segment of the URL. */
export function nameOf({ headers, url }: EgressResponse, namedByUrl: boolean): string | undefined {
  const suggested = suggestedName(headers['content-disposition'])
  const own = namedByUrl ? lastSegment(url) : undefined
  return (suggested && safeName(suggested)) || (own && safeName(own)) || undefined
}

/** Names of files that usually have no extension. Any other word without one may be a secret. */
const KNOWN_NAMES = /^(?:licen[cs]e|readme|changelog|notice|copying|authors|makefile|dockerfile)$/i

/** Returns the last path segment if it looks like a file name. An opaque one may be a secret and is not disclosed. */
export const lastSegment = memoized((url: URL): string | undefined => {
  const segment = latin1Text(percentDecoded(url.pathname.split('/').at(-1) ?? ''))
  return segment && (/.\.[A-Za-z0-9]{1,10}$/.test(segment) || KNOWN_NAMES.test(segment)) ? segment : undefined
})
