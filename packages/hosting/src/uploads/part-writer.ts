import { HostingError } from '@tidegate/protocol'
import {
  AlreadyComplete,
  type BackendWriter,
  type FileBackend,
  type Journal,
  type RunningHash,
} from '../file-backend.js'
import { storedHash } from '../hashes.js'
import type { HostedMove, HostedRow, HostedStore } from '../hosted-store.js'
import { lostBytes, lostLock, tooMany } from '../refusals.js'
import type { PartChecksum } from './checksum.js'
import type { UploadLock } from './lock.js'

/** One part of an upload. */
export interface Part {
  bytes: AsyncIterable<Uint8Array>
  checksum?: PartChecksum | undefined
  /** Ends the iteration over the bytes. */
  stop?: () => void
  /** Counts all bytes of the upload in the quota before they are written, if its length is deferred. */
  reserve?: ((bytes: number) => Promise<void>) | undefined
}

/** The stores of rows and bytes. */
export interface PartTools {
  store: HostedStore
  backend: FileBackend
}

/**
 * Writes one part of an upload. The backend stores bytes durably before the database records them. After a crash, the next
 * part overwrites unrecorded bytes.
 */
export class PartWriter implements Journal {
  private written: number
  private durable: number
  private committing: Promise<void> = Promise.resolve()
  /** Whether this is the last commit of the part. */
  private isLeaving = false
  /** Why the request ends early. */
  private givenUp: Error | undefined
  /** The end of the running commit, and the hash state there. */
  private mark: { to: number; hash: string | null } = { to: 0, hash: null }
  /** The backend's state and the hash state after the durable bytes. */
  private recorded: Pick<HostedRow, 'place' | 'hash'>

  private constructor(
    private readonly file: HostedRow,
    private readonly lock: UploadLock,
    private readonly tools: PartTools,
    private readonly hash: RunningHash | undefined,
    /** Ends the iteration over the bytes of the part. */
    private readonly stop: () => void = () => undefined,
  ) {
    this.written = file.received
    this.durable = file.received
    this.recorded = file
  }

  /**
   * Appends a part to an upload. Returns the new total. If the stream breaks, the received bytes are kept, unless the part
   * has a checksum or is too long.
   * @throws HostingError, StateError, or the error of the stream
   */
  static async write(file: HostedRow, lock: UploadLock, tools: PartTools, part: Part): Promise<number> {
    const own = new PartWriter(file, lock, tools, await tools.backend.hash(file), part.stop)
    const writer = await tools.backend.open(file, own)
    try {
      return await own.run(writer, part)
    } catch (error) {
      if (error instanceof AlreadyComplete) return own.durable
      throw error
    } finally {
      await own.committing.catch(() => undefined)
      await writer.close()
    }
  }

  async record(place: string): Promise<void> {
    await this.advance({ place, hash: this.recorded.hash }, this.durable)
  }

  async acknowledge(place: string | null, { isUnconfirmed = false } = {}): Promise<void> {
    const { to, hash } = this.mark
    const unlocks = this.isLeaving
    if (to < this.file.size) return this.advance({ place, hash }, to, { unlocks })
    // the last bytes make the file complete, in the same statement
    const sha256 = this.hash?.hex()
    const found = isUnconfirmed || sha256 === undefined ? await this.hashStored(place) : sha256
    if (sha256 !== undefined && found !== sha256) throw lostBytes()
    await this.advance({ place, hash: null }, to, { unlocks, done: { sha256: found, at: Date.now() } })
  }

  giveUp(reason: Error = tooMany()): void {
    this.givenUp ??= reason
    this.stop()
  }

  async complete(place: string): Promise<void> {
    const done = { sha256: await this.hashStored(place), at: Date.now() }
    await this.advance({ place, hash: null }, this.file.size, { done })
  }

  private async run(writer: BackendWriter, { bytes, checksum, reserve }: Part): Promise<number> {
    const { size } = this.file
    try {
      for await (const chunk of bytes) {
        if (this.written + chunk.length > size)
          throw new HostingError('UPLOAD_TOO_LARGE', 'The part goes beyond the length of the upload.')
        await reserve?.(this.written + chunk.length)
        await this.append(writer, chunk, checksum)
      }
    } catch (error) {
      const isOver = error instanceof AlreadyComplete || isTooLong(error) || isBackendDown(error)
      const keeps = !checksum && !isOver && this.lock.holds
      // a failure of this commit is ignored: the first error is reported
      if (keeps) await this.commit(writer).catch(() => undefined)
      throw error
    }
    // the checksum covers the whole part
    if (checksum && this.givenUp) throw this.givenUp
    checksum?.assertMatches()
    await this.committing
    // the last commit also releases the lock, in one statement
    this.isLeaving = true
    await this.commit(writer)
    return this.durable
  }

  private async append(writer: BackendWriter, chunk: Uint8Array, checksum: PartChecksum | undefined): Promise<void> {
    checksum?.update(chunk)
    for (let rest = chunk; rest.length > 0; ) {
      // without the lock, another writer may have the file
      if (!this.lock.holds) throw lostLock()
      const taken = rest.subarray(0, await writer.write(rest))
      this.hash?.update(taken)
      this.written += taken.length
      rest = rest.subarray(taken.length)
      // a commit of the last byte waits until the stream has ended
      if (checksum || !writer.isDue || this.written === this.file.size) continue
      await this.committing
      this.committing = this.commitNow(writer)
      // a failure is thrown at the next await
      this.committing.catch(() => undefined)
      if (!writer.writesWhileCommitting) await this.committing
    }
  }

  /** Commits after the running commit. Also throws its failure. */
  private async commit(writer: BackendWriter): Promise<void> {
    await this.committing
    await this.commitNow(writer)
  }

  private async commitNow(writer: BackendWriter): Promise<void> {
    const to = this.written
    const isLast = to === this.file.size
    if (to === this.durable && !isLast) return
    this.mark = { to, hash: isLast ? null : (this.hash?.save(to) ?? null) }
    await writer.commit(isLast)
  }

  private async advance(
    recorded: Pick<HostedRow, 'place' | 'hash'>,
    to: number,
    { unlocks = false, done }: Pick<HostedMove, 'unlocks' | 'done'> = {},
  ) {
    const { store } = this.tools
    const move = { from: this.durable, to, ...recorded, unlocks, ...(done ? { done } : {}) }
    if (!(await store.advance(this.file.id, this.lock.holder, move))) throw lostLock()
    if (unlocks) this.lock.left()
    this.durable = to
    this.recorded = recorded
  }

  private hashStored(place: string | null): Promise<string> {
    return storedHash({ ...this.file, place }, this.tools.backend)
  }
}

function isTooLong(error: unknown): boolean {
  const { code, status_code: status } = error as { code?: string; status_code?: number }
  return code === 'UPLOAD_TOO_LARGE' || status === 413
}

/** Whether the backend failed in a way that another commit would repeat. */
function isBackendDown(error: unknown): boolean {
  return error instanceof HostingError && ['HOSTING_UNAVAILABLE', 'UPLOAD_LOST'].includes(error.code)
}
