import { createHash, randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { RecordedDisk, seeded, type Unsynced } from '../../../test/helpers/recorded-disk.js'
import type { Logger } from '../../common/src/logger.js'
import { providerKey } from '../../protocol/src/crypto/keys.js'
import type { HostedRow } from '../src/hosted-store.js'
import { Hosting } from '../src/hosting.js'
import { UploadIds } from '../src/ids.js'
import { HOSTING_LIMITS } from '../src/limits.js'
import { LocalBackend } from '../src/local/local-backend.js'
import { answerTus } from '../src/uploads/tus.js'
import { HostedUses } from '../src/uses.js'
import { type HostedState, NO_ASSETS, sqliteHosted } from './hosted.js'

const disk = new RecordedDisk()
const recorded = { folder: '' }
const operations = disk.recording((path) => recorded.folder !== '' && path.startsWith(recorded.folder))

const OWNER = 'somebody'
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** What the state store says at a moment, and how many changes of the disk came before it. */
interface Moment {
  changes: number
  rows: HostedRow[]
  /** Ids of files whose deletion is durable. */
  forgotten: string[]
}

/** Where the backend keeps a file. */
const pathOf = (folder: string, id: string) => join(folder, id.slice(0, 2), id)

/**
 * The power fails between any two changes of the disk or the database, and takes with it what was not synced. The
 * database itself is durable with every statement (SQLite with synchronous=FULL, PostgreSQL): what it says at that moment
 * is what it says after the start.
 */
describe('after a power failure at any moment', () => {
  const root = newFolder()
  const contents = new Map<string, Buffer>()
  const moments: Moment[] = []
  /** What clients were told: how much there is of a file, after so many changes of the disk. */
  const told: { changes: number; id: string; offset: number }[] = []
  const { hosting: bounds } = HOSTING_LIMITS as { hosting: { checkpoint: number; checkpointWait: number } }
  const { checkpoint, checkpointWait } = bounds
  const stores: HostedState[] = []

  function open(folder: string, files: string): { hosting: Hosting; store: HostedState } {
    mkdirSync(folder, { recursive: true })
    const store = sqliteHosted(folder)
    stores.push(store)
    const key = providerKey(`0x${'11'.repeat(32)}`)
    const uses = new HostedUses(store.hosted, NO_ASSETS, [key])
    const rest = {
      ids: new UploadIds(key),
      answerTus,
      uses,
      lifetime: 60_000,
      isCurrent: () => true,
      log: {} as Logger,
    }
    const tools = { store: watched(store), backend: new LocalBackend(files, operations), ...rest }
    return { hosting: new Hosting(tools, { maxFile: 1e9, quota: 1e9, lifetime: 60_000 }), store }
  }

  /** The store of hosted files, which takes a snapshot after every statement that changes something. */
  function watched({ hosted }: HostedState): HostedState['hosted'] {
    const changing = ['create', 'advance', 'remove', 'forget'] as const
    const forgotten: string[] = []
    const overrides = changing.map((name) => [
      name,
      async (...args: unknown[]) => {
        const result = await (hosted[name] as (...args: unknown[]) => Promise<unknown>)(...args)
        if (name === 'forget') forgotten.push(args[0] as string)
        const { length: changes } = disk.changes
        const rows = await hosted.list(undefined, '', 100)
        if (recorded.folder !== '') moments.push({ changes, rows, forgotten: [...forgotten] })
        return result
      },
    ])
    return { ...hosted, ...Object.fromEntries(overrides) }
  }

  const part = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' }
  const bodyOf = (bytes: Uint8Array, ending?: Error) => {
    let at = 0
    const web = new ReadableStream({
      async pull(controller) {
        // otherwise all of it arrives as one chunk
        await new Promise((resolve) => setImmediate(resolve))
        if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + 20_000))
        else if (ending) controller.error(ending)
        else controller.close()
        at += 20_000
      },
    })
    return Readable.fromWeb(web as never)
  }
  const ask = async (
    hosting: Hosting,
    method: string,
    headers: Record<string, string>,
    file?: HostedRow,
    body?: Readable,
  ) => {
    const request = { method, path: '/uploads', headers: new Headers(headers), body, urlOf: (id: string) => id }
    const { headers: answered } = await hosting.answer(request, {
      owner: OWNER,
      file,
      checksum: undefined,
      metadata: '',
    })
    return answered
  }
  async function begin(hosting: Hosting, content: Buffer): Promise<string> {
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(content.length) }
    const id = (await ask(hosting, 'POST', headers)).get('location') as string
    contents.set(id, content)
    return id
  }
  async function send(hosting: Hosting, id: string, to: number, ending?: Error): Promise<void> {
    const file = await hosting.owned(id, OWNER)
    const bytes = (contents.get(id) as Buffer).subarray(file.received, to)
    const headers = { ...part, 'upload-offset': String(file.received) }
    const answered = await ask(hosting, 'PATCH', headers, file, bodyOf(bytes, ending)).catch(() => undefined)
    const offset = Number(answered?.get('upload-offset') ?? (await hosting.owned(id, OWNER)).received)
    told.push({ changes: disk.changes.length, id, offset })
  }

  beforeAll(async () => {
    Object.assign(bounds, { checkpoint: 80_000, checkpointWait: 0 })
    const files = join(root, 'recorded', 'deep', 'files')
    recorded.folder = join(root, 'recorded')
    mkdirSync(recorded.folder)
    const { hosting } = open(join(root, 'state'), files)
    await hosting.prepare()
    const whole = await begin(hosting, randomBytes(400_000))
    await send(hosting, whole, 400_000)
    const inParts = await begin(hosting, randomBytes(340_000))
    await send(hosting, inParts, 110_000)
    const empty = await begin(hosting, Buffer.alloc(0))
    const broken = await begin(hosting, randomBytes(240_000))
    await send(hosting, broken, 210_000, new Error('gone'))
    await send(hosting, inParts, 340_000)
    await hosting.remove(await hosting.owned(whole, OWNER), false)
    await send(hosting, broken, 240_000)
    // a process that died right after it had created the file, before any folder was synced
    const orphan = await begin(hosting, randomBytes(180_000))
    await operations.mkdir(dirname(pathOf(files, orphan)), { recursive: true })
    await (await operations.open(pathOf(files, orphan), 'w')).close()
    await hosting.remove(await hosting.owned(empty, OWNER), false)
    await send(hosting, orphan, 60_000)
    recorded.folder = ''
  })
  afterAll(async () => {
    Object.assign(bounds, { checkpoint, checkpointWait })
    await Promise.all(stores.map((store) => store.close()))
  })

  /** The latest moment with no more than so many changes of the disk, or all of them with exactly as many. */
  const momentsAt = (count: number) => {
    const [before, at] = [
      moments.filter(({ changes }) => changes < count),
      moments.filter((one) => one.changes === count),
    ]
    return [...before.slice(-1), ...at]
  }

  it.each([
    'lost',
    'kept',
    'some',
  ] as const)('what was acknowledged is there, where what was not synced is %s', (unsynced: Unsynced) => {
    expect(disk.changes.length).toBeGreaterThan(40)
    expect(moments.length).toBeGreaterThan(20)
    const random = seeded(19)
    let checked = 0
    for (let count = 0; count <= disk.changes.length; count++) {
      const left = join(root, `left-${unsynced}-${count}`)
      mkdirSync(left)
      disk.leave(count, unsynced, join(root, 'recorded'), left, random)
      const files = join(left, 'deep', 'files')
      for (const { rows, forgotten } of momentsAt(count)) {
        for (const { id, received, sha256: digest, size } of rows) {
          const content = contents.get(id)
          // the answer to its creation was not given yet
          if (!content || received === 0) continue
          const where = `${id} after ${count} changes`
          expect(existsSync(pathOf(files, id)), where).toBe(true)
          const bytes = readFileSync(pathOf(files, id))
          expect(bytes.subarray(0, received).equals(content.subarray(0, received)), where).toBe(true)
          if (digest !== null) expect([sha256(bytes), received], where).toEqual([digest, size])
          checked += 1
        }
        for (const id of forgotten) expect(existsSync(pathOf(files, id))).toBe(false)
        const [now] = momentsAt(count).slice(-1)
        for (const { id, offset } of told.filter(({ changes }) => changes <= count)) {
          const row = now?.rows.find((one) => one.id === id)
          if (row) expect(row.received).toBeGreaterThanOrEqual(offset)
        }
      }
      rmSync(left, { recursive: true })
    }
    expect(checked).toBeGreaterThan(100)
  })

  it('control: without a sync of the file or of its folder something would be missing', () => {
    const [id] = [...contents.keys()].filter((one) => moments.at(-1)?.rows.some((row) => row.id === one && row.sha256))
    for (const kind of ['sync', 'sync folder'] as const) {
      const { changes } = disk
      const kept = changes.filter((change) => change.kind !== kind)
      const left = mkdtempSync(join(root, 'control-'))
      const careless = Object.assign(Object.create(disk), { changes: kept }) as typeof disk
      careless.leave(kept.length, 'lost', join(root, 'recorded'), left, seeded(1))
      const path = pathOf(join(left, 'deep', 'files'), id as string)
      expect(existsSync(path) && sha256(readFileSync(path)) === sha256(contents.get(id as string) as Buffer)).toBe(
        false,
      )
    }
  })

  it('uploads go on to their right end, and deleted files are gone', async () => {
    const last = moments.at(-1)
    const left = join(root, 'after')
    mkdirSync(left)
    disk.leave(disk.changes.length, 'lost', join(root, 'recorded'), left, seeded(2))
    cpSync(join(root, 'state'), join(root, 'state-after'), { recursive: true })
    const { hosting, store } = open(join(root, 'state-after'), join(left, 'deep', 'files'))
    await hosting.prepare()
    await hosting.sweeper.sweep(Date.now())
    for (const { id, sha256: digest } of last?.rows ?? []) {
      const content = contents.get(id) as Buffer
      if (digest === null) await send(hosting, id, content.length)
      expect((await store.hosted.find(id))?.sha256).toBe(sha256(content))
      expect(sha256(readFileSync(pathOf(join(left, 'deep', 'files'), id)))).toBe(sha256(content))
    }
    expect(await store.hosted.removed(10)).toEqual([])
  })
})
