import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { StorageServer } from '../../../../test/helpers/storage-server.js'
import { ASKING, serverAndRegistry } from '../../../../test/helpers/storage-tools.js'
import type { StorageRegistry } from '../../src/kinds/registry.js'
import type { OpenedFile } from '../../src/storage.js'

const CONTENT = randomBytes(5_000_000)
const DIGEST = sha256([CONTENT])

/** Readers of a body. Each returns the SHA-256 of its bytes. */
const READERS: Record<string, (body: OpenedFile['body']) => Promise<string>> = {
  'an iterator': async (body) => sha256(await body.toArray()),
  'a reader that recycles': async (body) => {
    const hash = createHash('sha256')
    body.on('data', (chunk: Buffer) => {
      hash.update(chunk)
      setImmediate(() => body.recycle?.(chunk))
    })
    await once(body, 'end')
    return hash.digest('hex')
  },
  'a reader that pauses': async (body) => {
    const hash = createHash('sha256')
    body.on('data', (chunk: Buffer) => {
      hash.update(chunk)
      body.pause()
      setImmediate(() => body.resume())
    })
    await once(body, 'end')
    return hash.digest('hex')
  },
}

describe('a file that streams', () => {
  let server: StorageServer
  let registry: StorageRegistry
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ server, registry, close } = await serverAndRegistry())
  })
  afterAll(() => close())

  /** Serves the content, in pieces if it is chunked. `validated`: whether a broken transfer could be resumed. */
  function serving(path: string, chunked: boolean, validated: boolean): string {
    return server.on(path, (_request, response) => {
      if (!chunked) response.setHeader('content-length', CONTENT.length)
      if (validated) response.setHeader('etag', '"v1"')
      response.write(CONTENT.subarray(0, 10))
      for (let at = 10; at < CONTENT.length; at += 200_000) response.write(CONTENT.subarray(at, at + 200_000))
      response.end()
    })
  }

  async function opened(url: string, fetched?: (bytes: number) => void): Promise<OpenedFile['body']> {
    const file = registry.file({ type: 'url', url, method: 'GET' })
    return (await file.open({ ...ASKING, method: 'GET', headers: {}, fetched })).body
  }

  it.each([
    ['with a length', false, false],
    ['in chunks', true, false],
    ['that can be resumed', false, true],
  ])('%s: several readers at once get its exact bytes', async (name, chunked, validated) => {
    const url = serving(`/${name.replaceAll(' ', '-')}`, chunked, validated)
    const readers = Object.values(READERS)
    const digests = await Promise.all([...readers, ...readers].map(async (read) => read(await opened(url))))
    expect(new Set(digests)).toEqual(new Set([DIGEST]))
  })

  it.each([false, true])('to a paused reader: nothing is read ahead (can be resumed: %s)', async (validated) => {
    const url = serving(`/paused-${validated}`, false, validated)
    let [received, fetched] = [0, 0]
    const body = await opened(url, (bytes) => {
      fetched += bytes
    })
    body.on('error', () => undefined)
    body.on('data', (chunk: Buffer) => {
      received += chunk.length
      // the first chunks arrive with the headers, before there is a reader
      if (received > CONTENT.length / 2) body.pause()
    })
    await once(body, 'pause')
    // a whole transfer of another reader gives it every chance
    await READERS['an iterator']?.(await opened(url))
    expect(fetched).toBe(received)
  })

  it('to a reader that has taken the first chunk: keeps no memory of it', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const body = await opened(serving('/first-chunk', false, true))
    body.on('error', () => undefined)
    const first = await new Promise<WeakRef<ArrayBufferLike>>((resolve) => {
      body.once('data', (chunk: Buffer) => {
        body.pause()
        resolve(new WeakRef(chunk.buffer))
      })
    })
    await eventually(() => {
      collect()
      return first.deref() === undefined
    })
    body.destroy()
  })
})

function sha256(chunks: Buffer[]): string {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}
