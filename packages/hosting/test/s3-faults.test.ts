import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../../test/helpers/eventually.js'
import { chunked } from '../../../test/helpers/file-backend-suite.js'
import type { Asked, S3Bucket } from '../../../test/helpers/s3-bucket.js'
import type { Logger } from '../../common/src/logger.js'
import { StateError } from '../../protocol/src/errors.js'
import { faultOf } from '../src/audit.js'
import type { HostedStore } from '../src/hosted-store.js'
import { MAX_FILE, partSize, stateOf } from '../src/s3/state.js'
import { Sweeper } from '../src/sweeper.js'
import { UploadLock } from '../src/uploads/lock.js'
import { PartWriter } from '../src/uploads/part-writer.js'
import type { HostedUses } from '../src/uses.js'
import {
  atFirst,
  BEGUN,
  backend,
  begun,
  CONTENT,
  expectComplete,
  failures,
  files,
  goOn,
  MORE,
  PART,
  SIZE,
  SLOW_DOWN,
  server,
  useS3,
} from './s3-rig.js'

describe('hosted files on an S3 server with faults', () => {
  useS3()
  const later = Date.now() + 3_600_000

  it('aborts multipart uploads that no file knows of once they are old, and no others', async () => {
    const known = await begun(PART + 1)
    const [lost, recent] = [await begun(0), await begun(0)]
    const orphans = [
      await backend.bucket.begin(`${lost}/file-a`),
      await backend.bucket.begin(`${lost}/file-b`),
      // of a file that has another one, as a crash before the record leaves it
      await backend.bucket.begin(`${known}/file-c`),
      await backend.bucket.begin(`${randomBytes(32).toString('base64url')}/file-d`),
    ]
    const others = [await backend.bucket.begin('backups/monday'), await backend.bucket.begin(`${recent}/file-e`)]
    const young = server.begun.get(others[1] as string)
    if (young) young.initiated = new Date(later)
    const own = stateOf((await files.row(known)).place).upload as string
    expect(server.uploads()).toEqual(expect.arrayContaining([own, ...orphans, ...others]))
    await backend.tidy(Date.now() - 60_000, files.store.find)
    expect(server.uploads()).toEqual(expect.arrayContaining(orphans))
    await backend.tidy(later, files.store.find)
    expect(server.uploads().sort()).toEqual([own, ...others].sort())
    await goOn(known)
    await expectComplete(known)
  })

  it('deletes what has ended although the policy does not allow to list multipart uploads', async () => {
    const ended = await begun(4)
    const warned: object[] = []
    const log = { warn: (about: object) => warned.push(about) } as unknown as Logger
    const uses = { namesOf: () => [] } as unknown as HostedUses
    const tools = { store: files.store, backend, uses, log, lifetime: 60_000, isCurrent: () => true }
    server.fault = ({ what }) => (what === 'uploads' ? { status: 403, code: 'AccessDenied' } : undefined)
    await files.store.remove(ended, Date.now())
    await new Sweeper(tools).sweep(Date.now())
    expect(server.keys().filter((key) => key.startsWith(ended))).toEqual([])
    expect(warned).toEqual([{ status: 403, code: 'AccessDenied' }])
  })

  it.each([
    ['is slow down', SLOW_DOWN],
    ['is an internal error', { status: 500, code: 'InternalError' }],
    ['is a reset', 'reset'],
    ['is lost, although all was done', 'lose'],
  ] as const)('go on by themselves where an answer %s', async (_, fault) => {
    const id = await begun(0)
    const left = atFirst(['begin', 'part', 'put', 'complete', 'head'], 2, fault)
    await files.write(backend, id, chunked(CONTENT.subarray(0, BEGUN)))
    await goOn(id)
    await expectComplete(id)
    expect([left(), failures]).toEqual([0, []])
  })

  const REFUSALS = [
    ['away', SLOW_DOWN, 'HOSTING_UNAVAILABLE'],
    ['refusing', { status: 403, code: 'AccessDenied' }, 'HOSTING_UNAVAILABLE'],
    ['without the bucket', { status: 404, code: 'NoSuchBucket' }, 'HOSTING_UNAVAILABLE'],
    ['full', { status: 507, code: 'XMinioStorageFull' }, 'HOSTING_FULL'],
    ['over its quota', { status: 403, code: 'QuotaExceeded' }, 'HOSTING_FULL'],
  ] as const
  it(`acknowledge nothing that a server does not take, ${REFUSALS.map(([how]) => how).join(', ')}, and lose nothing`, async () => {
    const id = await begun(BEGUN)
    for (const [how, fault, code] of REFUSALS) {
      failures.length = 0
      server.fault = () => fault
      const refused = files.write(backend, id, chunked(CONTENT.subarray(BEGUN)))
      await expect(refused, how).rejects.toMatchObject({ code, message: expect.not.stringContaining('127.0.0.1') })
      expect(failures[0], how).toMatchObject(fault)
      expect((await files.row(id)).received, how).toBe(BEGUN)
    }
    server.fault = () => undefined
    await goOn(id)
    await expectComplete(id)
  })

  it('are complete only when S3 has the whole object, whatever it says', async () => {
    const id = await begun(BEGUN)
    const lies: ReturnType<S3Bucket['fault']>[] = [
      // failures that come with the status of success, as S3 does when it takes long to assemble
      {
        change: (answer) =>
          Object.assign(answer, { headers: {}, body: Buffer.from('<Error><Code>InternalError</Code></Error>') }),
      },
      { change: (answer) => Object.assign(answer, { headers: {}, body: Buffer.from('  ') }) },
    ]
    const another = await begun(BEGUN)
    const left = atFirst(['complete'], lies.length, ...lies)
    await goOn(another)
    await expectComplete(another)
    expect(left()).toBe(0)
    server.fault = ({ what }) =>
      what === 'head'
        ? { change: ({ headers }) => Object.assign(headers, { 'content-length': String(SIZE - 1) }) }
        : undefined
    await expect(goOn(id)).rejects.toMatchObject({ code: 'UPLOAD_LOST' })
    expect((await files.row(id)).sha256).toBeNull()
    server.fault = () => undefined
    await goOn(id)
    await expectComplete(id)
  })

  it('are complete although the service was killed before it could say so', async () => {
    for (const more of [CONTENT, CONTENT.subarray(0, MORE)]) {
      const id = await begun(BEGUN)
      const row = await files.row(id)
      const advance: HostedStore['advance'] = async (...move) => {
        if (move[2].done) throw new StateError('STATE_UNAVAILABLE', 'killed')
        return files.store.advance(...move)
      }
      const lock = new UploadLock(files.store, id)
      await lock.acquire(() => undefined)
      const bytes = chunked(CONTENT.subarray(row.received)) as unknown as AsyncIterable<Uint8Array>
      const killed = PartWriter.write(row, lock, { store: { ...files.store, advance }, backend }, { bytes })
      await expect(killed).rejects.toThrow('killed')
      await lock.release()
      expect((await files.row(id)).received).toBe(row.received)
      await files.write(backend, id, chunked(more.subarray(row.received)))
      if (more !== CONTENT) expect((await files.row(id)).received).toBe(more.length)
      await goOn(id)
      await expectComplete(id)
    }
  })

  it('are not acknowledged where a part is stored without a tag', async () => {
    const id = await begun(0)
    server.fault = ({ what }) =>
      what === 'part' ? { change: ({ headers }) => Reflect.deleteProperty(headers, 'etag') } : undefined
    await expect(goOn(id)).rejects.toMatchObject({ code: 'HOSTING_UNAVAILABLE' })
    expect((await files.row(id)).received).toBe(0)
    server.fault = () => undefined
    await goOn(id)
    await expectComplete(id)
  })

  it('say that an upload is lost whose parts somebody has deleted', async () => {
    const [parts, tail] = [await begun(BEGUN), await begun(PART / 2)]
    const { file, upload } = stateOf((await files.row(parts)).place)
    await backend.bucket.abort(file as string, upload as string)
    await expect(goOn(parts)).rejects.toMatchObject({ code: 'UPLOAD_LOST' })
    const row = await files.row(tail)
    await backend.bucket.remove(stateOf(row.place).tail[0]?.key as string)
    expect(await faultOf(row, backend)).toBe('short')
    await expect(goOn(tail)).rejects.toMatchObject({ code: 'UPLOAD_LOST' })
  })

  it('have the bytes of the newer writer, although requests of the older one arrive later', async () => {
    const id = await begun(0)
    const older = new UploadLock(files.store, id)
    await older.acquire(() => undefined)
    const row = await files.row(id)
    // its first part is on its way to S3, and stays there for long
    let arrive: (fault: undefined) => void = () => {}
    const held: Asked[] = []
    server.fault = (asked) => {
      if (asked.what !== 'part' || held.length > 0) return undefined
      held.push(asked)
      return { wait: new Promise((resolve) => (arrive = resolve)) }
    }
    const bytes = chunked(Buffer.alloc(PART + 31_000, 'other')) as unknown as AsyncIterable<Uint8Array>
    const lost = PartWriter.write(row, older, { store: files.store, backend }, { bytes }).catch((error) => error)
    await eventually(() => held.length > 0)
    await files.store.unlock(id, older.holder)
    await files.write(backend, id, chunked(CONTENT.subarray(0, BEGUN)))
    arrive(undefined)
    expect(await lost).toMatchObject({ code: 'UPLOAD_CONFLICT' })
    await older.release()
    await goOn(id)
    await expectComplete(id)
  })
})

it('files on S3 have no more parts than it takes, and none that it refuses', () => {
  for (const size of [1, 5_242_880, 42_000_000_000, 100_000_000_000, MAX_FILE]) {
    const part = partSize(size)
    expect(part).toBeGreaterThanOrEqual(5_242_880)
    expect(part).toBeLessThanOrEqual(67_108_864)
    expect(Math.ceil(size / part)).toBeLessThanOrEqual(5_000)
  }
})
