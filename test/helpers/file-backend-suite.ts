import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultOf } from '../../packages/hosting/src/audit.js'
import type { FileBackend } from '../../packages/hosting/src/file-backend.js'
import type { HostedRow, HostedStore } from '../../packages/hosting/src/hosted-store.js'
import { PartChecksum } from '../../packages/hosting/src/uploads/checksum.js'
import { UploadLock } from '../../packages/hosting/src/uploads/lock.js'
import { PartWriter } from '../../packages/hosting/src/uploads/part-writer.js'
import { sqliteHosted } from '../../packages/hosting/test/hosted.js'
import { eventually } from './eventually.js'

/** A backend under test. */
export interface BackendUnderTest {
  /** Opens the backend as another instance does. */
  open(): FileBackend
  /** Names of all that lies there. */
  left(): string[]
  close(): Promise<void>
}

/** The SHA-256 of bytes in hexadecimal digits. */
export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const OWNER = '0x1111111111111111111111111111111111111111'

/** A state store of its own, and files in it. */
export class Files {
  readonly folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  private readonly state = sqliteHosted(this.folder)
  readonly store: HostedStore = this.state.hosted

  async create(size: number): Promise<string> {
    const id = randomBytes(32).toString('base64url')
    const row = { id, owner: OWNER, size, metadata: '', createdAt: Date.now(), expiresAt: Date.now() + 600_000 }
    await this.store.create(row, { files: 1000, bytes: Number.MAX_SAFE_INTEGER })
    return id
  }

  async row(id: string): Promise<HostedRow> {
    return (await this.store.find(id)) as HostedRow
  }

  /** Writes a part as a request does, and returns what is there then. */
  async write(
    backend: FileBackend,
    id: string,
    bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    checksum?: string,
    stop: () => void = () => undefined,
  ) {
    const { completedAt, received } = await this.row(id)
    if (completedAt !== null) return received
    const lock = new UploadLock(this.store, id)
    await lock.acquire(() => undefined)
    try {
      const part = {
        bytes: bytes as AsyncIterable<Uint8Array>,
        stop,
        checksum: checksum === undefined ? undefined : PartChecksum.parse(`sha256 ${checksum}`),
      }
      return await PartWriter.write(await this.row(id), lock, { store: this.store, backend }, part)
    } finally {
      await lock.release()
    }
  }

  async close(): Promise<void> {
    await this.state.close()
    rmSync(this.folder, { recursive: true })
  }
}

/** Bytes in chunks, as they come from a connection. */
export function* chunked(bytes: Buffer, size = 65_536): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Reads a stream to its end. */
export async function whole(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The suite that every backend of hosted files must pass. `PART` has the bytes that the backend commits at a time. */
export function fileBackendSuite(name: string, PART: number, start: () => Promise<BackendUnderTest>): void {
  describe(`place of hosted files: ${name}`, () => {
    const SIZE = 2 * PART + 720_000
    const CONTENT = randomBytes(SIZE)
    let under: BackendUnderTest
    let files: Files
    const opened: FileBackend[] = []
    const open = () => {
      opened.push(under.open())
      return opened.at(-1) as FileBackend
    }
    beforeAll(async () => {
      under = await start()
      files = new Files()
      await open().prepare()
    })
    afterAll(async () => {
      await Promise.all(opened.map((backend) => backend.close()))
      await files.close()
      await under.close()
    })

    const complete = async (id: string, content: Buffer) => {
      const row = await files.row(id)
      expect(row).toMatchObject({ received: content.length, sha256: sha256(content) })
      expect((await whole(await open().read(row, 0, content.length - 1))).equals(content)).toBe(true)
      expect(await faultOf(row, open())).toBeUndefined()
      return row
    }

    it('keeps a file whose parts come from one instance after the other, of any size', async () => {
      const id = await files.create(CONTENT.length)
      let at = 0
      for (const size of [1, 65_535, PART - 65_536, 1, PART + 110_000, SIZE]) {
        const part = CONTENT.subarray(at, at + size)
        at += part.length
        expect(await files.write(open(), id, chunked(part))).toBe(at)
        expect(await faultOf(await files.row(id), open())).toBeUndefined()
      }
      const row = await complete(id, CONTENT)
      for (const [start, end] of [
        [0, 0],
        [PART - 1, PART],
        [SIZE - 10, SIZE - 1],
      ] as const)
        expect(await whole(await open().read(row, start, end))).toEqual(CONTENT.subarray(start, end + 1))
    })

    it('keeps small files, and empty ones', async () => {
      const [small, empty] = [await files.create(4), await files.create(0)]
      await files.write(open(), small, [CONTENT.subarray(0, 4)])
      await complete(small, CONTENT.subarray(0, 4))
      await files.write(open(), empty, [])
      expect(await files.row(empty)).toMatchObject({ received: 0, sha256: sha256(Buffer.alloc(0)) })
      expect(await faultOf(await files.row(empty), open())).toBeUndefined()
    })

    it('keeps what has arrived of a part that broke off, and goes on from there', async () => {
      const content = CONTENT.subarray(0, PART + 700_000)
      const id = await files.create(content.length)
      async function* broken(until: number) {
        yield* chunked(content.subarray(0, until))
        throw new Error('gone')
      }
      await expect(files.write(open(), id, broken(PART + 600_001))).rejects.toThrow('gone')
      expect((await files.row(id)).received).toBe(PART + 600_001)
      await files.write(open(), id, chunked(content.subarray(PART + 600_001)))
      await complete(id, content)
    })

    it('keeps nothing of a part with another checksum, however long', async () => {
      const id = await files.create(CONTENT.length)
      const part = CONTENT.subarray(0, SIZE - 500_000)
      const sum = createHash('sha256').update(part).digest('base64')
      const wrong = files.write(open(), id, chunked(CONTENT.subarray(0, SIZE - 500_001)), sum)
      await expect(wrong).rejects.toMatchObject({ code: 'UPLOAD_CHECKSUM' })
      expect((await files.row(id)).received).toBe(0)
      expect(await files.write(open(), id, chunked(part), sum)).toBe(part.length)
      await files.write(open(), id, chunked(CONTENT.subarray(part.length)))
      await complete(id, CONTENT)
    })

    it('keeps nothing of a part beyond the length of the file', async () => {
      const id = await files.create(10)
      const long = files.write(open(), id, [CONTENT.subarray(0, 5), CONTENT.subarray(5, 11)])
      await expect(long).rejects.toMatchObject({ code: 'UPLOAD_TOO_LARGE' })
      expect((await files.row(id)).received).toBe(0)
      await files.write(open(), id, [CONTENT.subarray(0, 10)])
      await complete(id, CONTENT.subarray(0, 10))
    })

    it('keeps nothing of a writer that has lost its lock', async () => {
      // before the part is whole, with it, and beyond it
      const [first, second, third] = [Math.round(PART / 3), Math.round(PART * 0.7), Math.round(PART / 4)]
      const content = CONTENT.subarray(0, first + second + third)
      const id = await files.create(content.length)
      await files.write(open(), id, chunked(content.subarray(0, first)))
      // as a process that was stopped for longer than its lock holds, and still believes in it
      const stopped = new UploadLock(files.store, id)
      await stopped.acquire(() => undefined)
      let go = () => {}
      const resumed = new Promise<void>((resolve) => (go = resolve))
      const row = await files.row(id)
      async function* other() {
        yield* chunked(Buffer.alloc(second, 'other'))
        await resumed
        yield* chunked(Buffer.alloc(third, 'other'))
      }
      const part = { bytes: other() }
      const older = PartWriter.write(row, stopped, { store: files.store, backend: open() }, part).catch(
        (error) => error,
      )
      await eventually(async () => (await files.row(id)).received >= first)
      const { received } = await files.row(id)
      await files.store.unlock(id, stopped.holder)
      const newer = new UploadLock(files.store, id)
      await newer.acquire(() => undefined)
      go()
      expect(await older).toMatchObject({ code: 'UPLOAD_CONFLICT' })
      await stopped.release()
      expect((await files.row(id)).received).toBe(received)
      await newer.release()
      await files.write(open(), id, chunked(content.subarray(received)))
      const end = await files.row(id)
      const read = await whole(await open().read(end, 0, content.length - 1))
      expect(end.sha256).toBe(sha256(read))
      expect(await faultOf(end, open())).toBeUndefined()
    })

    it('stops reading when its reader leaves', async () => {
      // more than all buffers on the way hold
      const size = 8_000_000
      const id = await files.create(size)
      await files.write(open(), id, chunked(Buffer.alloc(size)))
      const leaving = new AbortController()
      const body = await open().read(await files.row(id), 0, size - 1, leaving.signal)
      body.on('error', () => undefined)
      body.read(1)
      body.destroy()
      await eventually(() => body.closed)
    })

    it('deletes all that there is of a file, complete or not, and again', async () => {
      const before = under.left().length
      const [done, begun, never] = [
        await files.create(PART + 600_000),
        await files.create(CONTENT.length),
        await files.create(5),
      ]
      await files.write(open(), done, chunked(CONTENT.subarray(0, PART + 600_000)))
      await files.write(open(), begun, chunked(CONTENT.subarray(0, PART + 600_000)))
      await files.write(open(), begun, chunked(CONTENT.subarray(PART + 600_000, PART + 600_100)))
      const ids: string[] = []
      for await (const id of open().ids()) ids.push(id)
      expect(ids).toEqual(expect.arrayContaining([done, begun]))
      for (const id of [done, begun, never]) {
        const row = await files.row(id)
        await open().remove(row)
        await open().remove(row)
      }
      expect(under.left()).toHaveLength(before)
      expect(await files.row(done).then((row) => faultOf(row, open()))).toBe('missing')
      await expect(files.row(done).then((row) => open().read(row, 0, 9))).rejects.toThrow()
    })
  })
}
