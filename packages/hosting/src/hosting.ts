import { HostingError } from '@tidegate/protocol'
import { type FindHosted, HOSTED_ID } from '@tidegate/storage'
import type { HostedRow } from './hosted-store.js'
import type { UploadIds } from './ids.js'
import { HOSTING_LIMITS, type HostingLimits } from './limits.js'
import { factsOf, servedType } from './metadata.js'
import { isPublic } from './public-files.js'
import { notFound } from './refusals.js'
import { deleteRemoved, Sweeper, type SweeperTools } from './sweeper.js'
import { concatenate, concatHeader, isFinal, partialsOf } from './uploads/concatenation.js'
import type { answerTus, TusRequest } from './uploads/tus.js'
import type { Uploader } from './uploads/upload-store.js'
import type { UsingAsset } from './uses.js'

/** The hosted files of publishers. */
export class Hosting {
  readonly sweeper: Sweeper

  constructor(
    private readonly tools: SweeperTools & { ids: UploadIds; answerTus: typeof answerTus },
    readonly limits: HostingLimits,
  ) {
    this.sweeper = new Sweeper(tools)
  }

  get uses() {
    return this.tools.uses
  }

  /** Prepares the backend. Rejects with its error. */
  prepare(): Promise<void> {
    return this.tools.backend.prepare()
  }

  close(): Promise<void> {
    return this.tools.backend.close()
  }

  /** Answers a tus request. A repeated creation returns the existing upload. Throws like answerTus. */
  async answer(request: TusRequest, uploader: Uploader): Promise<Response> {
    const { store, backend, ids, answerTus } = this.tools
    const { file, creation } = uploader
    const { method, headers, urlOf, signal } = request
    const limits = this.limitsOf(file ?? uploader)
    const partials = method === 'POST' ? partialsOf(headers.get('upload-concat')) : undefined
    if (partials) {
      // partial uploads are used once, so they identify the creation
      const { owner, metadata } = uploader
      const id = ids.next({ owner, key: '', length: partials.join(' '), metadata })
      const file = await concatenate(partials, { store, backend }, limits, uploader, id, signal)
      return asBegun(file, urlOf(id))
    }
    if (file && isFinal(file) && method === 'PATCH')
      throw new HostingError('UPLOAD_FINAL', 'A final upload takes no bytes.')
    if (file && isFinal(file) && file.completedAt === null) return asUnfinished(file, urlOf)
    const id = file?.id ?? ids.next(creation)
    const begun = creation && (await store.find(id))
    if (begun && !isExpired(begun)) return asBegun(begun, request.urlOf(id))
    return answerTus(request, { store, backend }, limits, uploader, id)
  }

  /** Returns a file of an owner. Throws StateError, or the same HostingError for missing, foreign and expired files. */
  async owned(id: string, owner: string): Promise<HostedRow> {
    const file = HOSTED_ID.test(id) ? await this.tools.store.find(id) : undefined
    if (!file || file.owner !== owner || isExpired(file)) throw notFound()
    return file
  }

  /** Returns files of an owner after an id, ordered by id. */
  list(owner: string, after: string, limit: number): Promise<HostedRow[]> {
    return this.tools.store.list(owner, after, limit)
  }

  /** Deletes a file. With `force` also if assets use it. Throws HostingError, StateError. */
  async remove(file: HostedRow, force: boolean): Promise<void> {
    const { assets, isAll } = force ? { assets: [], isAll: true } : await this.uses.verdict(file)
    // of further uses nothing is recorded
    if (assets.length > 0 || !isAll) throw inUse(assets)
    if (!(await this.tools.store.remove(file.id, Date.now()))) throw notFound()
    // if the bytes cannot be deleted now, the sweeper deletes them later
    await deleteRemoved(this.tools).catch(() => undefined)
  }

  /** Finds a complete file that is not public. Throws StateError. */
  readonly find: FindHosted = (id) => this.complete(id, false)

  /** Finds a complete file that is public. Throws StateError. */
  readonly findPublic: FindHosted = (id) => this.complete(id, true)

  private async complete(id: string, wantsPublic: boolean): ReturnType<FindHosted> {
    const row = HOSTED_ID.test(id) ? await this.tools.store.find(id) : undefined
    if (!row || row.concat === 'partial' || row.sha256 === null || row.completedAt === null) return undefined
    if (isPublic(row) !== wantsPublic) return undefined
    const { owner, size, sha256, completedAt, metadata, place } = row
    const { name, contentType } = factsOf(metadata)
    return {
      ...{ owner, size, sha256, completedAt, contentType: servedType(contentType), ...(name ? { name } : {}) },
      read: (start, end, signal) => this.tools.backend.read({ id, size, place }, start, end, signal),
    }
  }

  private limitsOf(file: Pick<HostedRow, 'metadata'>): HostingLimits {
    if (!isPublic(file)) return this.limits
    return { ...this.limits, isPublic: true, maxFile: Math.min(this.limits.maxFile, HOSTING_LIMITS.hosting.publicFile) }
  }
}

function isExpired({ completedAt, expiresAt }: HostedRow): boolean {
  return completedAt === null && expiresAt <= Date.now()
}

/** Returns the response to HEAD for a final upload that is not complete: it has no offset. */
function asUnfinished({ size, concat }: HostedRow, urlOf: (id: string) => string): Response {
  const headers = {
    'tus-resumable': '1.0.0',
    'upload-length': String(size),
    'upload-concat': concatHeader(concat, urlOf),
  }
  return new Response(null, { headers })
}

/** Returns the response to a repeated creation: location and offset of the upload. */
function asBegun({ received, completedAt, expiresAt }: HostedRow, location: string): Response {
  const headers = new Headers({ 'tus-resumable': '1.0.0', location, 'upload-offset': String(received) })
  if (completedAt === null) headers.set('upload-expires', new Date(expiresAt).toUTCString())
  return new Response(null, { status: 201, headers })
}

function inUse(using: UsingAsset[]): HostingError {
  const [first] = using
  if (!first)
    return new HostingError(
      'UPLOAD_IN_USE',
      'So many uses of this file were recorded that an asset may use it. Send force=true to delete it.',
    )
  const others = using.length > 1 ? ` and ${using.length - 1} more` : ''
  return new HostingError(
    'UPLOAD_IN_USE',
    `The asset ${first.did}${others} uses this file. Send force=true to delete it.`,
  )
}
