import type { Hex } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { fieldsOf } from '../values.js'
import { filesOf, orderedOf } from './order.js'
import { consumerOf, provenOnce } from './proof.js'

export interface LinkOptions {
  /** Id of the service; by default the first that gives access. */
  service?: string | undefined
  /** Index of the file; 0 by default. */
  file?: number | undefined
  /** Whether the link is for a ZIP archive of all files, instead of one file. */
  archive?: boolean | undefined
  /** The order. Default: a valid one. */
  order?: Hex | undefined
  userdata?: Record<string, unknown> | undefined
  signal?: AbortSignal | undefined
}

export interface Link {
  /** A URL that needs neither signature nor token. A secret. */
  url: string
  expires: Date
}

/**
 * Creates a link to an ordered file, or an archive of all, for browsers, players and download managers. It serves the whole
 * file and ranges until it expires. Throws TidegateError like a download.
 */
export async function link(context: Context, did: string, options: LinkOptions = {}): Promise<Link> {
  const { userdata, signal } = options
  const files = filesOf(options)
  const { service, order } = await orderedOf(context, did, options)
  const request = { documentId: did, serviceId: service, ...files, transferTxId: order }
  const made = await provenOnce(
    context,
    'downloadLink',
    (shown, headers) =>
      context.api.post<unknown>(
        '/api/services/download/link',
        { ...request, ...consumerOf(shown), ...(userdata ? { userdata } : {}) },
        signal,
        headers,
      ),
    signal,
  )
  const { url, expires } = fieldsOf(made)
  if (
    typeof url !== 'string' ||
    !/^https?:\/\//.test(url) ||
    typeof expires !== 'number' ||
    !(expires > 0 && expires < 1e12)
  )
    throw new TidegateError('BAD_ANSWER', "The provider's response has no link.")
  return { url, expires: new Date(expires * 1000) }
}
