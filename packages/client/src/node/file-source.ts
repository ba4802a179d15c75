import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { TidegateError } from '../errors.js'
import { NODE_LIMITS } from '../limits.js'
import { fileChanged, type UploadSource } from '../upload/upload.js'

/** A file to upload. Hashes it on the way, and detects changes. */
export class FileSource implements UploadSource {
  private readonly hash = createHash('sha256')
  private hashed = 0

  private constructor(
    private readonly file: FileHandle,
    readonly size: number,
    /** Size and modification time, which identify the content. */
    readonly version: string,
  ) {}

  /** Throws TidegateError `NO_FILE`, `NOT_READABLE`. */
  static async open(path: string): Promise<FileSource> {
    // opening a FIFO without a writer would block
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(inWords)
    try {
      if (!(await file.stat()).isFile()) throw new TidegateError('NO_FILE', 'It is not a file.')
      const version = await versionOf(file)
      return new FileSource(file, Number(version.split(' ')[0]), version)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  slice(start: number, end: number) {
    return { arrayBuffer: () => this.part(start, end) }
  }

  /** Returns the SHA-256 of the whole file as hex. Throws TidegateError `FILE_CHANGED`. */
  async digest(): Promise<string> {
    await this.hashTo(this.size)
    if ((await versionOf(this.file)) !== this.version) throw fileChanged()
    return this.hash.copy().digest('hex')
  }

  async close(): Promise<void> {
    await this.file.close()
  }

  private async part(start: number, end: number): Promise<ArrayBuffer> {
    await this.hashTo(start)
    const bytes = await this.read(start, end)
    // a repeated part may be hashed already
    if (end > this.hashed) this.hash.update(bytes.subarray(this.hashed - start))
    this.hashed = Math.max(this.hashed, end)
    return bytes.buffer
  }

  private async hashTo(end: number): Promise<void> {
    while (this.hashed < end) {
      const bytes = await this.read(this.hashed, Math.min(this.hashed + NODE_LIMITS.block, end))
      this.hash.update(bytes)
      this.hashed += bytes.length
    }
  }

  private async read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(end - start)
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = await this.file.read(bytes, length, bytes.length - length, start + length)
      if (bytesRead === 0) throw fileChanged()
      length += bytesRead
    }
    if ((await versionOf(this.file)) !== this.version) throw fileChanged()
    return bytes
  }
}

async function versionOf(file: FileHandle): Promise<string> {
  const { size, mtimeNs } = await file.stat({ bigint: true })
  return `${size} ${mtimeNs}`
}

function inWords(error: NodeJS.ErrnoException): never {
  const isThere = error.code === 'EACCES' || error.code === 'EPERM'
  if (isThere) throw new TidegateError('NOT_READABLE', 'The file cannot be read.', { cause: error })
  throw new TidegateError('NO_FILE', 'There is no such file.', { cause: error })
}
