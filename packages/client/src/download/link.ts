import { fieldsOf } from '@tidegate/protocol/values'
import type { Hex } from 'viem'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { pause, pauseBefore, retriesAfter } from '../http/retry.js'
import { LIMITS } from '../limits.js'
import { policyOf } from '../policies/sessions.js'
import { filesOf, orderedOf } from './order.js'
import { consumerOf, proveByToken, provenOnce } from './proof.js'

/** Options of a link, or of several. */
interface CommonOptions {
  /** Id of the service; by default the first that gives access. */
  service?: string | undefined
  /** The order. Default: a valid one. */
  order?: Hex | undefined
  /** Seconds until the link expires. Default: the provider's. */
  lifetime?: number | undefined
  userdata?: Record<string, unknown> | undefined
  signal?: AbortSignal | undefined
}

export interface LinkOptions extends CommonOptions {
  /** Index of the file; 0 by default. */
  file?: number | undefined
  /** Whether the link is for a ZIP archive of all files, instead of one file. */
  archive?: boolean | undefined
}

export interface LinksOptions extends CommonOptions {
  /** Indexes of the files. */
  files: readonly number[]
}

export interface Link {
  /** A URL that needs neither signature nor token. A secret. */
  url: string
  /** The link may end earlier than requested: with its token, or with its order. */
  expires: Date
}

/** A link to one file of several. */
export interface FileLink extends Link {
  /** Index of the file. */
  file: number
}

/**
 * Creates a link to an ordered file, or an archive of all, for browsers, players and download managers. It serves the whole
 * file and ranges until it expires. Throws TidegateError like a download, and `VALIDATION` for a lifetime that the provider
 * does not grant.
 */
export async function link(context: Context, did: string, options: LinkOptions = {}): Promise<Link> {
  const { lifetime, signal } = options
  const files = filesOf(options)
  assertLifetime(lifetime)
  const { service, order } = await orderedOf(context, did, options)
  const fields = { ...fieldsFor(context, did, service, order, options), ...files }
  return provenOnce(
    context,
    'downloadLink',
    (shown, headers) => create(context, { ...fields, ...consumerOf(shown) }, signal, headers),
    { lifetime, signal },
  )
}

/**
 * Creates links to several files of one order, a few at a time, and yields them in the order of `files`. They share one
 * token: a wallet signs once, and deleting the token ends them all. Throws like `link`.
 */
export async function* links(context: Context, did: string, options: LinksOptions): AsyncGenerator<FileLink> {
  const { files, lifetime, signal } = options
  for (const file of files) filesOf({ file })
  assertLifetime(lifetime)
  if (files.length === 0) return
  const [file] = files.length === 1 ? files : []
  const { service, order } = await orderedOf(context, did, { ...options, file, archive: file === undefined })
  const { shown, headers } = await proveByToken(context, lifetime, signal)
  const fields = { ...fieldsFor(context, did, service, order, options), ...consumerOf(shown) }
  const ended = new AbortController()
  const stop = ended.signal
  const abort = () => ended.abort(signal?.reason)
  signal?.throwIfAborted()
  signal?.addEventListener('abort', abort, { once: true })
  const createOne = async (fileIndex: number): Promise<FileLink> => ({
    file: fileIndex,
    ...(await repeated(() => create(context, { ...fields, fileIndex }, stop, headers), stop)),
  })
  const pending: Promise<FileLink>[] = []
  try {
    for (const next of files) {
      const created = createOne(next)
      created.catch(() => undefined)
      pending.push(created)
      if (pending.length === LIMITS.links) yield await (pending.shift() as Promise<FileLink>)
    }
    for (const created of pending) yield await created
  } finally {
    signal?.removeEventListener('abort', abort)
    ended.abort()
  }
}

function assertLifetime(lifetime: number | undefined): void {
  if (lifetime !== undefined && !(Number.isSafeInteger(lifetime) && lifetime > 0))
    throw new TidegateError('BAD_OPTION', 'lifetime must be a whole number of seconds.')
}

function fieldsFor(context: Context, did: string, service: string, order: Hex, { lifetime, userdata }: CommonOptions) {
  const optional = { ...(lifetime === undefined ? {} : { lifetime }), ...(userdata ? { userdata } : {}) }
  return { documentId: did, serviceId: service, transferTxId: order, ...optional, ...policyOf(context, did, service) }
}

async function create(
  { api }: Context,
  fields: object,
  signal: AbortSignal | undefined,
  headers: Record<string, string>,
): Promise<Link> {
  const made = await api.post<unknown>('/api/services/download/link', fields, signal, headers)
  const { url, expires } = fieldsOf(made)
  // printable ASCII only: other programs read the URL from lines of text
  if (
    typeof url !== 'string' ||
    !/^https?:\/\/[!#-;=?-[\]-~]+$/.test(url) ||
    typeof expires !== 'number' ||
    !(expires > 0 && expires < LIMITS.linkEnd)
  )
    throw new TidegateError('BAD_ANSWER', "The provider's response has no link.")
  return { url, expires: new Date(expires * 1000) }
}

/** Repeats a request while the provider refuses it for now, as a limit of requests does. */
async function repeated<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request()
    } catch (error) {
      if (signal.aborted || attempt > retriesAfter(error, true, LIMITS.retries)) throw error
      await pause(pauseBefore(attempt, error), signal)
    }
  }
}
