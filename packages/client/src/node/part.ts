import { createHash } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createFile, readBeside, renameAnew, replaceFile, temporaryName } from '@tidegate/common/safe-files'
import type { Version } from '../download/headers.js'
import { NODE_LIMITS } from '../limits.js'
import { BackgroundSync } from './background-sync.js'
import { type Lock, lockOf } from './lock.js'
import { assertReplaceable, entryOf, inTheWay, openPart } from './part-file.js'

/** Bytes of a partial file, and the version of the file that they belong to. */
export interface Begun {
  did: string
  service: string
  file: number
  version: Version
  /** SHA-256 of the whole file as hex, if the provider sends one. */
  sha256: string | null
}

const { block: BLOCK, small: SMALL, notes: NOTES } = NODE_LIMITS
/** Milliseconds until a block is written that is not full, so that a killed process loses little. */
const PATIENCE = 250

/** `NAME.part` with the bytes so far, and `NAME.part.json` with their description. Locked by one process. */
export class Part {
  private hash = createHash('sha256')
  /** Pieces of the next write, uncopied, and their total bytes. */
  private pieces: Uint8Array[] = []
  private gathered = 0
  /** The last piece, if small ones are copied to it, and its used bytes. */
  private small: { buffer: Uint8Array; filled: number } | undefined
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> = Promise.resolve()
  private readonly disk: BackgroundSync
  /** Accepted bytes; the last ones may not be written yet. */
  bytes = 0

  private constructor(
    readonly target: string,
    private readonly lock: Lock,
    private readonly file: FileHandle,
  ) {
    this.disk = new BackgroundSync(file)
  }

  /**
   * Opens the part of a target, new or of an earlier run. Throws TidegateError `BUSY`, `NOT_WRITABLE` (a file of these names
   * that is not a part of this user), and errors of the file system.
   */
  static async of(target: string): Promise<Part> {
    const lock = await lockOf(`${target}.part.lock`)
    try {
      const part = new Part(target, lock, await openPart(target))
      if ((await entryOf(part.notes))?.isDirectory()) {
        await part.file.close()
        throw inTheWay(part.notes, 'is a folder')
      }
      return part
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  /** Checks that a part can be written, and changes nothing. Throws like `of`. */
  static async check(target: string): Promise<void> {
    const part = await Part.of(target)
    try {
      // keeps the bytes of an earlier run
      part.bytes = (await part.file.stat()).size
      const longest = temporaryName(part.notes)
      createFile(longest, '', { isDurable: false })
      await rm(longest, { force: true })
    } finally {
      await part.close()
    }
  }

  /** Returns the description of an earlier run's part; undefined if it cannot be resumed. */
  async begun(): Promise<Begun | undefined> {
    try {
      const { did, service, file, version, sha256 } = JSON.parse(readBeside(this.notes, NOTES)) as Begun
      if (typeof version.validator !== 'string') return undefined
      const { total, validator, etag = null, modified = null } = version
      return { did, service, file, sha256, version: { total, validator, etag, modified } }
    } catch {
      return undefined
    }
  }

  /** Reads the existing bytes to continue their digest. */
  async resume(): Promise<void> {
    const block = Buffer.allocUnsafeSlow(BLOCK)
    for (;;) {
      const { bytesRead } = await this.file.read(block, 0, BLOCK, this.bytes)
      if (bytesRead === 0) return
      this.hash.update(block.subarray(0, bytesRead))
      this.bytes += bytesRead
    }
  }

  /** Deletes all bytes and restarts. */
  async clear(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    // a waiting flush then has nothing to write
    this.taken()
    this.bytes = 0
    await this.writing.catch(() => undefined)
    await this.disk.reset()
    this.writing = Promise.resolve()
    await rm(this.notes, { force: true })
    await this.file.truncate(0)
    this.hash = createHash('sha256')
  }

  /** Writes the description of the coming bytes. */
  async note(begun: Begun): Promise<void> {
    replaceFile(this.notes, JSON.stringify(begun), { isDurable: false })
  }

  /**
   * Takes a piece, which the caller must not change afterwards. Returns a promise to await if the buffer is full. The write
   * may still be running then; a later call rejects with its error.
   */
  append(piece: Uint8Array): Promise<void> | undefined {
    this.hash.update(piece)
    this.bytes += piece.length
    this.gathered += piece.length
    if (piece.length < SMALL) this.copy(piece)
    else {
      this.endSmall()
      this.pieces.push(piece)
    }
    if (this.gathered >= BLOCK) return this.flush()
    // a later call reports its error
    this.timer ??= setTimeout(() => this.flush().catch(() => undefined), PATIENCE)
    return undefined
  }

  private copy(piece: Uint8Array): void {
    if (this.small && this.small.filled + piece.length > this.small.buffer.length) this.endSmall()
    this.small ??= { buffer: Buffer.allocUnsafeSlow(8 * SMALL), filled: 0 }
    this.small.buffer.set(piece, this.small.filled)
    this.small.filled += piece.length
  }

  private endSmall(): void {
    if (this.small) this.pieces.push(this.small.buffer.subarray(0, this.small.filled))
    this.small = undefined
  }

  /** Takes the pieces of the next write. */
  private taken(): Uint8Array[] {
    this.endSmall()
    const { pieces } = this
    this.pieces = []
    this.gathered = 0
    return pieces
  }

  /** Writes all bytes, and returns their digest as hex. */
  async digest(): Promise<string> {
    await this.flush()
    await this.writing
    return this.hash.copy().digest('hex')
  }

  /** Starts to write the buffered pieces. Throws the error of an earlier write. */
  private async flush(): Promise<void> {
    // after a failed write nothing more is written: the file would have a hole
    const { writing } = this
    await writing
    // another call was faster
    if (writing !== this.writing) return this.flush()
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.gathered === 0) return
    const at = this.bytes - this.gathered
    this.writing = this.write(this.taken(), at)
    // the next call reports it
    this.writing.catch(() => undefined)
  }

  /** Syncs the part and gives it the target's name. Without `replace`, rejects with EEXIST if the name is taken. */
  async finish(replace: boolean): Promise<void> {
    await this.disk.finish()
    const part = `${this.target}.part`
    if (replace) {
      assertReplaceable(await entryOf(this.target))
      await rename(part, this.target)
    } else await renameAnew(part, this.target)
    await rm(this.notes, { force: true })
    await syncFolder(dirname(this.target))
  }

  private async write(pieces: Uint8Array[], at: number): Promise<void> {
    let from = at
    for (let left = pieces; left.length > 0; ) {
      const { bytesWritten } = await this.file.writev(left, from)
      from += bytesWritten
      left = after(left, bytesWritten)
    }
    await this.disk.written(from)
  }

  /** Keeps the part for a later run, or deletes it if it is empty or the disk has lost bytes. */
  async close(): Promise<void> {
    clearTimeout(this.timer)
    await this.flush().catch(() => undefined)
    await this.writing.catch(() => undefined)
    if (this.disk.hasFailed) await this.clear().catch(() => undefined)
    await this.disk.reset()
    await this.file.close()
    if (this.bytes === 0) {
      await rm(`${this.target}.part`, { force: true })
      await rm(this.notes, { force: true })
    }
    await this.lock.release()
  }

  private get notes(): string {
    return `${this.target}.part.json`
  }
}

/** Returns the rest of the pieces after a short write. */
function after(pieces: Uint8Array[], bytes: number): Uint8Array[] {
  let at = 0
  let skip = bytes
  while (at < pieces.length && skip >= (pieces[at] as Uint8Array).length) skip -= (pieces[at++] as Uint8Array).length
  const [first, ...rest] = pieces.slice(at)
  return first ? [first.subarray(skip), ...rest] : []
}

/** Syncs a folder, on systems that can. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r')
    await folder.sync().finally(() => folder.close())
  } catch {
    // the file exists anyway
  }
}
