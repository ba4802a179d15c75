import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ABANDONED, connectionsOfAbandoned } from '../../../test/helpers/abandoned.js'
import { type S3Bucket, startBucket } from '../../../test/helpers/s3-bucket.js'
import { Bucket } from '../src/s3/bucket.js'
import { S3Backend } from '../src/s3/s3-backend.js'
import { S3Client } from '../src/s3/s3-client.js'
import { partSize } from '../src/s3/state.js'

const PART = 5_242_880
const NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
const QUOTES = /&quot;|&#34;/g

/** The XML of S3 services by their makers. */
const STYLES: Record<string, (xml: string) => string> = {
  'no declaration and no namespace': (xml) => xml.replace(/^<\?.*?\?>\s*/, '').replace(/ xmlns="[^"]*"/g, ''),
  'a namespace on each element': (xml) =>
    xml.replace(/ xmlns="[^"]*"/g, '').replace(/<([A-Za-z]+)(\/?)>/g, `<$1 ${NAMESPACE}$2>`),
  'a prefix on each element': (xml) => xml.replace(/<(\/?)([A-Za-z])/g, '<$1s3:$2'),
  'white space around each element': (xml) =>
    `${xml.replace(/>\s*</g, '>\r\n\t<').replace(/>([^<\s][^<]*)</g, '> $1\n<')}\n`,
  'a byte order mark, comments, CDATA and other entities': (xml) =>
    `\uFEFF${xml.replace(QUOTES, '"').replace(/>([^<\s][^<]*)</g, '><!-- <Key> --><![CDATA[$1]]><')}`,
}

describe.each(Object.entries(STYLES))('S3 with %s', (_, style) => {
  let server: S3Bucket
  let bucket: Bucket
  beforeAll(async () => {
    server = await startBucket()
    server.style = style
    bucket = new Bucket(server.account)
  })
  afterAll(async () => {
    await bucket.close()
    await server.close()
  })
  const all = async <T>(list: AsyncIterable<T>) => {
    const found: T[] = []
    for await (const one of list) found.push(one)
    return found
  }

  it('takes files in parts, lists them and what was begun, and tells why it refuses', async () => {
    const uploadId = await bucket.begin('folder/one')
    const others = await Promise.all(['two', 'three'].map((name) => bucket.begin(`folder/${name}`)))
    const parts = await Promise.all(
      [PART, 1].map(async (size, at) => {
        const etag = await bucket.putPart('folder/one', uploadId, at + 1, Buffer.alloc(size, 'tide'))
        return [at + 1, etag] as [number, string]
      }),
    )
    const begun = await all(bucket.uploads('folder/'))
    expect(new Set(begun.map((one) => one.uploadId))).toEqual(new Set([uploadId, ...others]))
    expect(begun.every(({ at }) => Date.now() - at < 600_000)).toBe(true)
    await bucket.complete('folder/one', uploadId, parts)
    expect(await bucket.sizeOf('folder/one')).toBe(PART + 1)
    expect(await all(bucket.list('folder/'))).toEqual(['folder/one'])
    expect(await all(bucket.list('', '/'))).toEqual(['folder/'])
    await expect(bucket.complete('folder/one', uploadId, parts)).rejects.toMatchObject({
      ...{ status: 404, code: 'NoSuchUpload' },
    })
  })
})

it('a file whose reader leaves is fetched over no second connection', async () => {
  const clients: S3Client[] = []
  const send = async (origin: string, signal: AbortSignal) => {
    const account = { ...server.account, endpoint: new URL(origin) }
    const client = new S3Client(account)
    clients.push(client)
    const { body } = await client.open({ method: 'GET', key: 'one', signal })
    return body.toArray()
  }
  const server = await startBucket()
  expect(await connectionsOfAbandoned(send)).toBe(ABANDONED)
  expect(await connectionsOfAbandoned(send, { begun: true })).toBe(ABANDONED)
  await Promise.all([...clients, server].map((one) => one.close()))
})

it('a file that a bucket never takes is refused with its reason, without a retry', async () => {
  const server = await startBucket()
  const backend = new S3Backend({ account: server.account, prefix: '' })
  server.fault = ({ what }) => (what === 'get' ? { status: 400, code: 'EntityTooSmall' } : undefined)
  const reading = backend.read({ size: 4, place: JSON.stringify({ file: 'a', parts: [], next: 1, tail: [] }) }, 0, 3)
  await expect(reading).rejects.toMatchObject({
    ...{ code: 'UPLOAD_UNSTORABLE', message: 'The storage of hosted files does not take this file: EntityTooSmall.' },
  })
  await backend.close()
  await server.close()
})

it('files have parts of a size that services with a thousand parts take', () => {
  const gibibyte = 1_073_741_824
  for (const size of [1, 8 * gibibyte, 50 * gibibyte])
    expect(Math.ceil(size / partSize(size))).toBeLessThanOrEqual(1_000)
  expect(partSize(300 * gibibyte)).toBeLessThanOrEqual(67_108_864)
  expect(partSize(1)).toBe(8_388_608)
})
