import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { chunked, Files, sha256 } from '../../../test/helpers/file-backend-suite.js'
import { type Asked, type S3Bucket, startBucket } from '../../../test/helpers/s3-bucket.js'
import { sized } from '../../../test/helpers/sizes.js'
import { faultOf } from '../src/audit.js'
import type { PartMemory } from '../src/s3/memory.js'
import { S3Backend } from '../src/s3/s3-backend.js'
import type { S3Error } from '../src/s3/s3-client.js'

/** Small parts, each of several chunks: what goes wrong with one does not depend on its size. */
export const PART = sized(262_144, 8_388_608)
/** One part, and the beginning of the next. */
export const SIZE = PART + 60_000
/** What most files have at first, in the second part; and somewhat more. */
export const [BEGUN, MORE] = [PART + 11_000, PART + 21_000]
export const CONTENT = randomBytes(SIZE)
export const SLOW_DOWN = { status: 503, code: 'SlowDown' }

export let server: S3Bucket
export let files: Files
export let backend: S3Backend
export const failures: S3Error[] = []
export const open = (memory?: PartMemory) => {
  return new S3Backend({
    ...{ account: server.account, prefix: '', part: PART, onFailure: (failure) => failures.push(failure) },
    ...(memory ? { memory } : {}),
  })
}

/** Starts a server, files and a back end for the tests of a file, and takes faults back after each. */
export function useS3(): void {
  beforeAll(async () => {
    server = await startBucket(PART)
    files = new Files()
    backend = open()
  })
  afterEach(() => {
    server.fault = () => undefined
    failures.length = 0
  })
  afterAll(async () => {
    await backend.close()
    await files.close()
    await server.close()
  })
}

/** Begins a file, and writes it up to a byte. Returns its id. */
export const begun = async (until: number, size = CONTENT.length) => {
  const id = await files.create(size)
  if (until > 0) await files.write(backend, id, chunked(CONTENT.subarray(0, until)))
  return id
}
/** Writes the rest of a file. */
export const goOn = async (id: string) => {
  const { received, size } = await files.row(id)
  return files.write(backend, id, chunked(CONTENT.subarray(received, size)))
}

/** Does something with the first requests of each of these kinds. Returns how many of a kind are still to come. */
export const atFirst = (kinds: readonly Asked['what'][], count: number, ...faults: ReturnType<S3Bucket['fault']>[]) => {
  const left = new Map(kinds.map((what) => [what, count]))
  server.fault = ({ what }) => {
    const more = left.get(what) ?? 0
    left.set(what, Math.max(0, more - 1))
    return more > 0 ? faults[(count - more) % faults.length] : undefined
  }
  return () => [...left.values()].reduce((sum, more) => sum + more, 0)
}

/** Asserts that a file is complete, with the right hash. */
export const expectComplete = async (id: string) => {
  const row = await files.row(id)
  expect(row.sha256).toBe(sha256(CONTENT.subarray(0, row.size)))
  expect(await faultOf(row, backend)).toBeUndefined()
}
