import { createHash } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Version } from '../download/headers.js'
import { BackgroundSync } from './background-sync.js'
import { type Lock, lockOf } from './lock.js'
import { assertReplaceable, entryOf, inTheWay, openPart } from './part-file.js'
import { createFile, readBeside, renameAnew, replaceFile, temporaryName } from './safe-files.js'

/** What of a file is there, and of which version of which file it is. */
export interface Begun {
  did: string
  service: string
  file: number
  version: Version
  /** SHA-256 of the whole file as hex, if the provider tells. */
  sha256: string | null
}

/** Bytes that are read or written at a time: the pieces of a connection are far smaller, and each write costs. */
const BLOCK = 1_048_576
/** Bytes below which pieces are copied together: a batch must not consist of countless tiny ones. */
const SMALL = 8_192
/** Milliseconds after which a block is written that is not full, so that a killed process loses little. */
const PATIENCE = 250
/** Maximum bytes of the notes: a validator and a few names. */
const NOTES = 65_536

/** `NAME.part`, the bytes so far, with `NAME.part.json` beside it, which says what they are of. Held by one process. */
export class Part {
  private hash = createHash('sha256')
  /** The pieces of the next write, which are not copied, and their bytes. */
  private pieces: Uint8Array[] = []
  private gathered = 0
  /** The last of the pieces where it is one that small ones are copied to, and its bytes so far. */
  private small: { buffer: Uint8Array; filled: number } | undefined
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> = Promise.resolve()
  private readonly disk: BackgroundSync
  /** Bytes that were taken; the last of them may not be in the file yet. */
  bytes = 0

  private constructor(
    readonly target: string,
    private readonly lock: Lock,
    private readonly file: FileHandle,
  ) {
    this.disk = new BackgroundSync(file)
  }

  /**
   * Opens the part of a target, new or of an earlier run. Throws TidegateError `BUSY`, `NOT_WRITABLE` (something of these
   * names that is not a part of this user), and errors of the file system.
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

  /** Makes sure that a part can be written, and leaves everything as it is. Throws as `of` does. */
  static async check(target: string): Promise<void> {
    const part = await Part.of(target)
    try {
      // an earlier run's bytes stay
      part.bytes = (await part.file.stat()).size
      const longest = temporaryName(part.notes)
      createFile(longest, '', { isDurable: false })
      await rm(longest, { force: true })
    } finally {
      await part.close()
    }
  }

  /** The download that an earlier run has started; undefined if there is none that can be resumed. */
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

  /** Restarts from nothing. */
  async clear(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    // a flush that is waiting finds nothing to write
    this.taken()
    this.bytes = 0
    await this.writing.catch(() => undefined)
    await this.disk.reset()
    this.writing = Promise.resolve()
    await rm(this.notes, { force: true })
    await this.file.truncate(0)
    this.hash = createHash('sha256')
  }

  /** Notes what the bytes to come are of. */
  async note(begun: Begun): Promise<void> {
    replaceFile(this.notes, JSON.stringify(begun), { isDurable: false })
  }

  /**
   * Takes a piece, which nobody may change afterwards. Returns a promise to wait for where too much is buffered. The
   * bytes may still be being written then; an error of that comes with a later call.
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

  /** Takes what is to be written next. */
  private taken(): Uint8Array[] {
    this.endSmall()
    const { pieces } = this
    this.pieces = []
    this.gathered = 0
    return pieces
  }

  /** The digest of all bytes, as hex. They have been written then. */
  async digest(): Promise<string> {
    await this.flush()
    await this.writing
    return this.hash.copy().digest('hex')
  }

  /** Starts to write what has been gathered. Throws the error of an earlier write. */
  private async flush(): Promise<void> {
    // after one that failed nothing more is written: the file would have a hole
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

  /** Makes the part the target, safely on the disk. Where `replace` is false, it takes the place of nothing: EEXIST. */
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

  /** Leaves the part for another time, or nothing if it is empty or the disk has lost some of it. */
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

/** What is left of the pieces after a short write. */
function after(pieces: Uint8Array[], bytes: number): Uint8Array[] {
  let at = 0
  let skip = bytes
  while (at < pieces.length && skip >= (pieces[at] as Uint8Array).length) skip -= (pieces[at++] as Uint8Array).length
  const [first, ...rest] = pieces.slice(at)
  return first ? [first.subarray(skip), ...rest] : []
}

/** Not every system can do it. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r')
    await folder.sync().finally(() => folder.close())
  } catch {
    // the file is there all the same
  }
}
