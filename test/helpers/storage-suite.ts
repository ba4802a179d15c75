import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkedFile } from '../../packages/storage/src/checked.js'
import type { OpenedFile, RequestContext, Storage, StoredFile, UserData } from '../../packages/storage/src/storage.js'

/** One kind of storage on a real back end. */
export interface StorageUnderTest {
  storage: Storage
  /** The bytes behind `file`. */
  content: Buffer
  /** A storage object of an existing file, and a well-formed one of a missing file; both without `type`. */
  file: object
  missing: object
  /** Changes that make `file` invalid, with the field that is then wrong; at least three. */
  bad: [object: object, field: string][]
  /** Whether the back end supports ranges. */
  ranges: boolean
  /** Whether it knows the length in advance; default: true. */
  sized?: boolean
  /** The userdata that `file` needs. */
  userdata?: UserData
  /** Stops the back end. */
  close(): Promise<void>
}

const ASKING: RequestContext = { signal: new AbortController().signal, budget: 'paid' }

/** The vitest suite that every Storage must pass; call it in a test file. `start` starts its back end. */
export function storageSuite(name: string, start: () => Promise<StorageUnderTest>): void {
  describe(`storage: ${name}`, () => {
    let under: StorageUnderTest
    beforeAll(async () => {
      under = await start()
    })
    afterAll(() => under.close())

    const file = (object = under.file): StoredFile => checkedFile(under.storage, object)
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

    it('delivers the bytes, and their number in advance', async () => {
      const opened = await open()
      expect(opened.status).toBe(200)
      if (opened.headers['content-length']) expect(Number(opened.headers['content-length'])).toBe(under.content.length)
      expect((await bytes(opened)).equals(under.content)).toBe(true)
    })

    it('answers HEAD without the bytes', async () => {
      const opened = await open({}, 'HEAD')
      expect(opened.status).toBe(200)
      leave(opened)
    })

    it('delivers a range, or the whole file if it does not support ranges', async () => {
      const opened = await open({ range: 'bytes=3-9' })
      const received = await bytes(opened)
      if (under.ranges) {
        expect([opened.status, opened.headers['content-range']]).toEqual([206, `bytes 3-9/${under.content.length}`])
        expect(received.equals(under.content.subarray(3, 10))).toBe(true)
        const beyond = await open({ range: `bytes=${under.content.length}-` })
        expect(beyond.status).toBe(416)
        leave(beyond)
      } else {
        expect(opened.status).toBe(200)
        expect(received.equals(under.content)).toBe(true)
      }
    })

    it('reports a missing file without revealing its location', async () => {
      const {
        reason: _reason,
        upstreamStatus: _status,
        ...described
      } = await file(under.missing).describe({
        ...ASKING,
        userdata: under.userdata,
      })
      expect(described).toEqual({ valid: false })
      const failure = await file(under.missing)
        .open({ ...ASKING, method: 'GET', headers: {}, userdata: under.userdata })
        .catch((error) => error)
      expect(failure).toMatchObject({ kind: expect.stringMatching(/^storage/) })
      expect(failure.message).not.toMatch(/127\.0\.0\.1|http|0x/)
    })

    it('names the field that is wrong in an object of its kind (threats 27 and 28)', () => {
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

/** Discards a body that nobody reads. */
function leave({ body }: OpenedFile): void {
  body.on('error', () => undefined)
  body.destroy()
}
