import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { discard } from '../../src/storage/egress.js'
import type { StorageRegistry, StoredFile } from '../../src/storage/registry.js'
import type { OpenedFile, StorageTools, UserData } from '../../src/storage/storage.js'
import { ASKING, testEgress, testRegistry } from '../helpers/storage-tools.js'

/** One kind of storage on a real back end. */
export interface StorageUnderTest {
  /** The bytes behind `file`. */
  content: Buffer
  /** A storage object that is there, and one that is well-formed but is not. */
  file: object
  missing: object
  /** Storage objects of this kind that must be refused, with the field that is wrong. */
  bad: [object: object, field: string][]
  /** What the back end can do. */
  ranges: boolean
  /** Whether it knows the length beforehand. */
  sized?: boolean
  userdata?: UserData
  tools?: Partial<StorageTools>
  close(): Promise<void>
}

/** What every storage kind must do. `start` brings its back end up. */
export function storageSuite(type: string, start: () => Promise<StorageUnderTest>): void {
  describe(`storage: ${type}`, () => {
    let under: StorageUnderTest
    let registry: StorageRegistry
    const egress = testEgress()
    beforeAll(async () => {
      under = await start()
      registry = testRegistry(egress, under.tools)
    })
    afterAll(async () => {
      await egress.close()
      await under.close()
    })

    const file = (object = under.file): StoredFile => registry.file({ type, ...object })
    const open = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
      file().open({ ...ASKING, method, headers, userdata: under.userdata })
    async function bytes({ body }: OpenedFile): Promise<Buffer> {
      const chunks: Uint8Array[] = []
      for await (const chunk of body) chunks.push(chunk as Uint8Array)
      return Buffer.concat(chunks)
    }

    it('describes a file with its size', async () => {
      const described = await file().describe({ ...ASKING, userdata: under.userdata })
      expect(described.valid).toBe(true)
      expect(described.contentLength).toBe(under.sized === false ? undefined : under.content.length)
    })

    it('hands out the bytes, and their number beforehand', async () => {
      const opened = await open()
      expect(opened.status).toBe(200)
      if (opened.headers['content-length']) expect(Number(opened.headers['content-length'])).toBe(under.content.length)
      expect((await bytes(opened)).equals(under.content)).toBe(true)
    })

    it('answers HEAD without the bytes', async () => {
      const opened = await open({}, 'HEAD')
      expect(opened.status).toBe(200)
      discard(opened.body)
    })

    it('hands out a range, or the whole file where it cannot', async () => {
      const opened = await open({ range: 'bytes=3-9' })
      const received = await bytes(opened)
      if (under.ranges) {
        expect([opened.status, opened.headers['content-range']]).toEqual([206, `bytes 3-9/${under.content.length}`])
        expect(received.equals(under.content.subarray(3, 10))).toBe(true)
        const beyond = await open({ range: `bytes=${under.content.length}-` })
        expect(beyond.status).toBe(416)
        discard(beyond.body)
      } else {
        expect(opened.status).toBe(200)
        expect(received.equals(under.content)).toBe(true)
      }
    })

    it('says of a missing file that it is not there, in words that do not tell where', async () => {
      expect(await file(under.missing).describe({ ...ASKING, userdata: under.userdata })).toEqual({ valid: false })
      const failure = await file(under.missing)
        .open({ ...ASKING, method: 'GET', headers: {}, userdata: under.userdata })
        .catch((error) => error)
      expect(failure).toMatchObject({ kind: expect.stringMatching(/^storage/) })
      expect(failure.message).not.toMatch(/127\.0\.0\.1|http|0x/)
    })

    it('threats 27 and 28: names the field that is wrong in an object of its kind', () => {
      expect(under.bad.length).toBeGreaterThan(2)
      for (const [object, field] of under.bad) {
        const failure = (() => {
          try {
            file({ ...under.file, ...object })
          } catch (error) {
            return error as { fields: object }
          }
        })()
        expect(failure?.fields, JSON.stringify(object)).toHaveProperty(field)
      }
    })
  })
}
