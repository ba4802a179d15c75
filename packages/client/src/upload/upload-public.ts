import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import { assertFileName } from '../publishing/file-names.js'
import { hashOf } from '../terms/terms.js'
import type { TermsDocument } from '../terms/types.js'
import { fileChanged, sendFile, type UploadOptions, type UploadSource } from './upload.js'

/** A file that everybody can read at its URL. */
export interface PublicFile extends TermsDocument {
  /** Id of the upload. */
  id: string
  size: number
}

export type PublicUploadOptions = Pick<UploadOptions, 'name' | 'contentType' | 'onProgress' | 'signal'>

/**
 * Uploads a public file of at most 5 MiB: terms, or a sample. Everybody can read it at its URL, without an order. Throws
 * TidegateError like `upload`, and `UPLOAD_TOO_LARGE`, `UNSUPPORTED` if the provider hosts no public files.
 *
 * @example
 * const terms = await tidegate.uploadPublic(new Blob([text], { type: 'text/markdown' }), { name: 'terms.md' })
 * await tidegate.publish({ files, name: 'Tide tables', price: 'free', terms })
 */
export async function uploadPublic(
  context: Context,
  source: UploadSource,
  options: PublicUploadOptions = {},
): Promise<PublicFile> {
  const { size } = source
  const name = assertFileName(options.name ?? source.name ?? '')
  if (size > LIMITS.document)
    throw new TidegateError('UPLOAD_TOO_LARGE', `A public file has at most ${LIMITS.document} bytes, not ${size}.`)
  if (size === 0) throw new TidegateError('BAD_REQUEST', 'A public file must not be empty.')
  const filename = name.replace(/^.*\//s, '')
  const bytes = await source.slice(0, size).arrayBuffer()
  // the hash of the sent bytes: a buyer accepts it
  const blob = new Blob([bytes], { type: options.contentType ?? source.type ?? '' })
  const sent = { ...options, filename, isPublic: true } as const
  return sendFile(context, blob, sent, async (calls, id) => {
    const { url, sha256 } = await calls.published(id)
    if (sha256 !== hashOf(new Uint8Array(bytes))) throw fileChanged()
    return { id, url, sha256, size, name: filename, ...(blob.type ? { contentType: blob.type } : {}) }
  })
}
