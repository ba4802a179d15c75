import { describe, expect, it } from 'vitest'
import { eventually } from '../../../test/helpers/eventually.js'
import { chunked, whole } from '../../../test/helpers/file-backend-suite.js'
import { PartMemory } from '../src/s3/memory.js'
import { stateOf } from '../src/s3/state.js'
import { UploadLock } from '../src/uploads/lock.js'
import {
  atFirst,
  BEGUN,
  backend,
  begun,
  CONTENT,
  expectComplete,
  files,
  goOn,
  MORE,
  open,
  PART,
  SIZE,
  server,
  useS3,
} from './s3-rig.js'

describe('hosted files on an S3 server', () => {
  useS3()

  it('are read on after a broken connection, and refused if other bytes arrive than were requested', async () => {
    const id = await begun(CONTENT.length)
    const row = await files.row(id)
    atFirst(['get'], 2, { cutAfter: Math.floor(PART / 3) })
    expect((await whole(await backend.read(row, 0, row.size - 1))).equals(CONTENT)).toBe(true)
    atFirst(['get'], 1, { cutAfter: Math.floor(PART / 8) })
    expect((await whole(await backend.read(row, 5, MORE))).equals(CONTENT.subarray(5, MORE + 1))).toBe(true)
    const lies: Record<string, string>[] = [
      { 'content-range': `bytes 6-15/${SIZE}` },
      { 'content-range': `bytes 5-14/${SIZE + 1}` },
      { 'content-length': '9' },
    ]
    for (const lie of lies) {
      server.fault = ({ what }) =>
        what === 'get' ? { change: ({ headers }) => Object.assign(headers, lie) } : undefined
      await expect(backend.read(row, 5, 14)).rejects.toMatchObject({ code: 'HOSTING_UNAVAILABLE' })
    }
    server.fault = ({ what }) => (what === 'get' ? { cutAfter: 100 } : undefined)
    await expect(whole(await backend.read(row, 5, PART)).catch((error) => error)).resolves.toBeInstanceOf(Error)
  })

  it('end the request of a reader that has left, even before its answer', async () => {
    const id = await begun(10, 10)
    const leaving = new AbortController()
    server.fault = ({ what }) => (what === 'get' ? 'silent' : undefined)
    const before = server.asked.length
    const waiting = backend.read(await files.row(id), 0, 9, leaving.signal)
    await eventually(() => server.asked.length > before)
    leaving.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('make one object of many small pieces, and never send a part twice over', async () => {
    const id = await files.create(PART + 1000)
    const before = server.asked.length
    for (let at = 0; at < 70; at++) await files.write(backend, id, [CONTENT.subarray(at * 10, at * 10 + 10)])
    expect(stateOf((await files.row(id)).place).tail.length).toBeLessThanOrEqual(32)
    expect(server.keys().filter((key) => key.startsWith(id)).length).toBeLessThanOrEqual(32)
    const sent = server.asked.slice(before).reduce((sum, { bytes }) => sum + bytes, 0)
    expect(sent).toBeLessThan(2100)
    await goOn(id)
    await expectComplete(id)
    expect(server.keys().filter((key) => key.startsWith(id))).toHaveLength(1)
  })

  it('are hashed from the object where another version has kept the hash', async () => {
    const id = await begun(BEGUN)
    const lock = new UploadLock(files.store, id)
    await lock.acquire(() => undefined)
    const { place: state } = await files.row(id)
    await files.store.advance(id, lock.holder, { from: BEGUN, to: BEGUN, place: state, hash: 'AAAA' })
    await lock.release()
    await files.write(backend, id, chunked(CONTENT.subarray(BEGUN, MORE)))
    await goOn(id)
    await expectComplete(id)
  })

  it('take no more memory than they may, whatever the number of uploads', async () => {
    const memory = new PartMemory(2 * PART, 60_000)
    const bounded = open(memory)
    const ids = await Promise.all(Array.from({ length: 3 }, () => files.create(SIZE)))
    let most = 0
    server.fault = () => {
      most = Math.max(most, memory.bytes)
      return undefined
    }
    await Promise.all(ids.map((id) => files.write(bounded, id, chunked(CONTENT))))
    expect(most).toBe(2 * PART)
    expect(memory.bytes).toBe(0)
    for (const id of ids) await expectComplete(id)
    const size = PART / 2
    const impatient = open(new PartMemory(size, 1))
    let go = () => {}
    const waits = new Promise<void>((resolve) => (go = resolve))
    const [first, second] = [await files.create(size), await files.create(size)]
    async function* slowly() {
      yield CONTENT.subarray(0, 10)
      await waits
      yield CONTENT.subarray(10, size)
    }
    const slow = files.write(impatient, first, slowly())
    await expect(files.write(impatient, second, [CONTENT.subarray(0, 10)])).rejects.toMatchObject({
      code: 'HOSTING_UNAVAILABLE',
    })
    go()
    await slow
    await expectComplete(first)
    await Promise.all([bounded.close(), impatient.close()])
  })

  it('give way to those who wait for memory, and keep what has arrived', async () => {
    const size = PART / 2
    const memory = new PartMemory(size, 600_000, 50)
    const bounded = open(memory)
    for (const checksum of [undefined, Buffer.alloc(32).toString('base64')]) {
      const [slow, honest] = [await files.create(size), await files.create(size)]
      let stop = () => {}
      const stopped = new Promise<void>((resolve) => (stop = resolve))
      async function* crawling() {
        yield CONTENT.subarray(0, 10)
        await stopped
      }
      const crawls = files.write(bounded, slow, crawling(), checksum, stop).catch(({ code }) => code)
      await eventually(() => memory.bytes === size)
      await files.write(bounded, honest, chunked(CONTENT.subarray(0, size)))
      await expectComplete(honest)
      // of a part with a checksum nothing can be kept
      expect([await crawls, (await files.row(slow)).received]).toEqual(checksum ? ['HOSTING_UNAVAILABLE', 0] : [10, 10])
      await goOn(slow)
      await expectComplete(slow)
    }
    expect(memory.bytes).toBe(0)
    await bounded.close()
  })
})
