import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { eventually } from '../../../test/helpers/eventually.js'
import { type KindUnderTest, kindSuite } from '../../../test/helpers/kind-suite.js'
import { type S3Bucket, startBucket } from '../../../test/helpers/s3-bucket.js'
import { ASKING, testEgress, testRegistry } from '../../../test/helpers/storage-tools.js'
import type { Logger } from '../../common/src/logger.js'
import { providerKey } from '../../protocol/src/crypto/keys.js'
import { Hosting } from '../src/hosting.js'
import { UploadIds } from '../src/ids.js'
import { LocalBackend } from '../src/local/local-backend.js'
import { S3Backend } from '../src/s3/s3-backend.js'
import { answerTus } from '../src/uploads/tus.js'
import { HostedUses } from '../src/uses.js'
import { NO_ASSETS, sqliteHosted } from './hosted.js'

const CONTENT = randomBytes(3_000_000)

/** Hosting in a folder of its own, and in a bucket if S3 is tested, with one complete file. */
async function hostingWithFile(server?: S3Bucket) {
  const folder = newFolder()
  const store = sqliteHosted(join(folder, 'state'))
  const backend = server
    ? new S3Backend({ account: server.account, prefix: '' })
    : new LocalBackend(join(folder, 'files'))
  const uses = new HostedUses(store.hosted, NO_ASSETS, [])
  const log = {} as Logger
  const ids = new UploadIds(providerKey(`0x${'11'.repeat(32)}`))
  const tools = { store: store.hosted, backend, uses, ids, answerTus, log, lifetime: 60_000, isCurrent: () => true }
  const hosting = new Hosting(tools, { maxFile: 10_000_000, quota: 10_000_000, lifetime: 60_000 })
  await hosting.prepare()
  const headers = new Headers({
    ...{ 'tus-resumable': '1.0.0', 'upload-length': String(CONTENT.length) },
    'content-type': 'application/offset+octet-stream',
  })
  const { headers: answered } = await hosting.answer(
    { method: 'POST', path: '/uploads', headers, body: Readable.from([CONTENT]), urlOf: (id) => id },
    { owner: 'somebody', file: undefined, checksum: undefined, metadata: '' },
  )
  const close = async () => {
    await hosting.close()
    await store.close()
    await server?.close()
  }
  return { hosting, backend, id: answered.get('location') as string, close }
}

/** The storage kind on a backend. */
async function kindOn(server?: S3Bucket): Promise<KindUnderTest> {
  const { hosting, id, close } = await hostingWithFile(server)
  return {
    content: CONTENT,
    file: { id },
    missing: { id: 'A'.repeat(43) },
    bad: [
      [{ id: '../../../etc/passwd' }, 'id'],
      [{ id: `${id}/` }, 'id'],
      [{ id: undefined }, 'id'],
      [{ id: [id] }, 'id'],
    ],
    ranges: true,
    tools: { hosted: hosting.find },
    close,
  }
}

describe('in a folder', () => kindSuite('hosted', () => kindOn()))
describe('on S3', () => kindSuite('hosted', async () => kindOn(await startBucket())))

it('a hosted file is closed when its consumer leaves, and one whose bytes are gone is refused', async () => {
  const { hosting, backend, id, close } = await hostingWithFile()
  const egress = testEgress()
  const file = testRegistry(egress, { hosted: hosting.find }).file({ type: 'hosted', id })
  const consumer = new AbortController()
  const opened = await file.open({ ...ASKING, method: 'GET', headers: {}, signal: consumer.signal })
  opened.body.on('error', () => undefined)
  opened.body.read(1)
  consumer.abort()
  await eventually(() => opened.body.closed)
  await backend.remove({ id, place: null })
  const refused = file.open({ ...ASKING, method: 'GET', headers: {} })
  await expect(refused).rejects.toMatchObject({ code: 'STORAGE_REFUSED', message: expect.not.stringContaining(id) })
  await egress.close()
  await close()
})

it('partial uploads are joined no further when the client leaves, and the same request continues', async () => {
  const { hosting, backend, close } = await hostingWithFile()
  const send = (headers: Record<string, string>, body?: Readable, signal?: AbortSignal) =>
    hosting.answer(
      {
        ...{ method: 'POST', path: '/uploads', body, urlOf: (id: string) => id },
        headers: new Headers({ 'tus-resumable': '1.0.0', ...headers }),
        ...(signal ? { signal } : {}),
      },
      { owner: 'somebody', file: undefined, checksum: undefined, metadata: '' },
    )
  const [content, size] = ['application/offset+octet-stream', String(CONTENT.length)]
  const partial = { 'upload-concat': 'partial', 'upload-length': size, 'content-type': content }
  const ids = [await send(partial, Readable.from([CONTENT])), await send(partial, Readable.from([CONTENT]))].map(
    ({ headers }) => headers.get('location'),
  )
  const final = { 'upload-concat': `final;${ids.join(' ')}` }
  const left = new AbortController()
  const local = backend as LocalBackend
  const read = local.read.bind(local)
  const reads = vi.spyOn(local, 'read').mockImplementation(async (...args) => {
    left.abort()
    return read(...args)
  })
  await expect(send(final, undefined, left.signal)).rejects.toThrow('not joined yet')
  expect(reads).toHaveBeenCalledTimes(1)
  const { headers } = await send(final)
  expect(headers.get('upload-offset')).toBe(String(2 * CONTENT.length))
  await close()
})
