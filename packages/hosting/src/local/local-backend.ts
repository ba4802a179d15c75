import { constants } from 'node:fs'
import promises, { type FileHandle } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { BufferPool, FileBody, HOSTED_ID } from '@tidegate/storage'
import type { BackendWriter, FileBackend, Journal, RunningHash } from '../file-backend.js'
import { RereadHashes } from '../hashes.js'
import type { HostedRow } from '../hosted-store.js'
import { HOSTING_LIMITS } from '../limits.js'
import { lostBytes } from '../refusals.js'
import { Batches } from './batches.js'
import { failure } from './disk-queue.js'
import { LocalWriter } from './local-writer.js'

/** The file system operations that the backend uses. */
export type Disk = Pick<typeof promises, 'mkdir' | 'open' | 'readdir' | 'stat' | 'statfs' | 'unlink'>

/** Stores hosted files in a folder, each under its id. Creations and deletions survive a power loss once their promise resolves. */
export class LocalBackend implements FileBackend {
  private readonly hashes = new RereadHashes()
  private readonly batches = new Batches()
  private readonly reading = new BufferPool(HOSTING_LIMITS.hosting.read, HOSTING_LIMITS.hosting.readsKept)

  /** `disk`: replaces the file system in tests. */
  constructor(
    readonly folder: string,
    private readonly disk: Disk = promises,
  ) {}

  async prepare(): Promise<void> {
    const path = resolve(this.folder)
    const first = (await this.disk.mkdir(path, { recursive: true, mode: 0o700 })) ?? path
    // each created folder is an entry of its parent
    for (let at = path; at.length >= first.length; at = dirname(at)) await this.syncFolder(dirname(at))
  }

  async hasRoom(bytes: number): Promise<boolean> {
    const disk = await this.disk.statfs(this.folder).catch(() => undefined)
    return !disk || disk.bavail * disk.bsize > bytes
  }

  /** Throws HostingError if acknowledged bytes are missing. */
  hash({ id, received }: HostedRow): Promise<RunningHash> {
    return this.hashes.begin(id, received, () => this.read({ id }, 0, received - 1).catch(lost))
  }

  async open({ id, size, received }: HostedRow, journal: Journal): Promise<BackendWriter> {
    return new LocalWriter(await this.openForWriting(id, received), received, size, this.batches, journal)
  }

  async read({ id }: { id: string }, start: number, end: number): Promise<Readable> {
    const handle = await this.disk.open(this.pathOf(id), constants.O_RDONLY)
    return new FileBody(handle, start, end, this.reading)
  }

  async sizeOf({ id }: { id: string }): Promise<number | undefined> {
    return (await this.disk.stat(this.pathOf(id)).catch(() => undefined))?.size
  }

  async remove({ id }: { id: string }): Promise<void> {
    this.hashes.forget(id)
    const path = this.pathOf(id)
    try {
      await this.disk.unlink(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    // also if the file is missing: the process that deleted it may have died before this
    await this.syncFolder(dirname(path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  }

  /** Does nothing: every file in the folder belongs to an upload. */
  async tidy(): Promise<void> {}

  async *ids(): AsyncGenerator<string> {
    for (const folder of await this.disk.readdir(this.folder))
      for (const name of await this.disk.readdir(join(this.folder, folder)).catch(() => []))
        if (HOSTED_ID.test(name)) yield name
  }

  async close(): Promise<void> {}

  /** Opens a file for writing. Creates it if no bytes are acknowledged. */
  private async openForWriting(id: string, received: number): Promise<FileHandle> {
    const path = this.pathOf(id)
    if (received === 0) return this.create(path).catch(failure)
    const handle = await this.disk.open(path, constants.O_RDWR).catch(lost)
    if ((await handle.stat()).size >= received) return handle
    await handle.close()
    throw lostBytes()
  }

  private async create(path: string): Promise<FileHandle> {
    await this.disk.mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const handle = await this.disk.open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    // also if the file exists: the process that created it may have died before this
    await this.syncFolder(dirname(path))
    await this.syncFolder(this.folder)
    return handle
  }

  private pathOf(id: string): string {
    // no other text becomes part of a path
    if (!HOSTED_ID.test(id)) throw new Error('Not the id of a hosted file.')
    // folders by prefix, so that each has few files
    return join(this.folder, id.slice(0, 2), id)
  }

  private async syncFolder(path: string): Promise<void> {
    const handle = await this.disk.open(path, constants.O_RDONLY)
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
}

function lost(error: NodeJS.ErrnoException): never {
  throw error.code === 'ENOENT' ? lostBytes() : error
}
