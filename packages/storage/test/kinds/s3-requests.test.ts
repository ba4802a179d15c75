import { createRequire } from 'node:module'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { S3_KEYS } from '../../../../test/helpers/backends.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { ASKING, testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'

const aws4 = createRequire(import.meta.url)('aws4')

let server: StorageServer
const egress = testEgress()
beforeAll(async () => {
  server = await StorageServer.start()
})
afterAll(() => egress.close())

/** Downloads the object with a key. The server has it at `path`, and checks host and signature. */
async function download(key: string, path: string, forcePathStyle = true, base = '', form = (file: object) => file) {
  const { port } = new URL(server.origin)
  const bucketHost = forcePathStyle ? 'localhost' : 'tides.localhost'
  server.on(base + path, ({ headers, url }, response) => {
    const { authorization, host, 'x-amz-date': date } = headers
    const signed = { 'X-Amz-Date': date, 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' }
    const request = { host, path: url, method: 'GET', service: 's3', region: 'eu-1', headers: signed }
    const signature = (text: unknown) => /Signature=(\w+)/.exec(String(text))?.[1]
    const expected = signature(aws4.sign(request, S3_KEYS).headers.Authorization)
    const isRight = host === `${bucketHost}:${port}` && signature(authorization) === expected
    response.writeHead(isRight ? 200 : 403).end('tide')
  })
  const object = { type: 's3', endpoint: `http://localhost:${port}${base}/`, bucket: 'tides', key }
  const file = testRegistry(egress).file(form({ ...object, ...S3_KEYS, region: 'eu-1', forcePathStyle }))
  const { status, body } = await file.open({ ...ASKING, method: 'GET', headers: {} })
  return { status, text: Buffer.concat(await body.toArray()).toString() }
}

/** A storage object as the newest library writes it. It leaves out what is its default. */
function formOfNode(file: object): object {
  const { type, key, forcePathStyle, ...access } = file as Record<string, unknown>
  return { type, s3Access: { ...access, objectKey: key, ...(forcePathStyle ? { forcePathStyle } : {}) } }
}

it('s3: without forcePathStyle the bucket is part of the host name, and of the signature', async () => {
  expect(await download('2026/höhe.csv', '/2026/h%C3%B6he.csv', false)).toEqual({ status: 200, text: 'tide' })
})

it.each([false, true])('s3: the form of Ocean Node is the same object, path style %s', async (forcePathStyle) => {
  const path = forcePathStyle ? '/tides/a/höhe.csv' : '/a/höhe.csv'
  expect(await download('a/höhe.csv', encodeURI(path), forcePathStyle, '', formOfNode)).toMatchObject({ status: 200 })
})

it('s3: the form of Ocean Node is checked as the other one is', async () => {
  await expect(download('../a', '/', true, '', formOfNode)).rejects.toMatchObject({
    fields: { 's3Access.objectKey': ['The s3Access.objectKey field must not lead out of its bucket.'] },
  })
  const fieldsOf = (s3Access: unknown) => {
    try {
      testRegistry(egress).file({ type: 's3', s3Access })
    } catch (error) {
      return (error as { fields: Record<string, string[]> }).fields
    }
    return undefined
  }
  const required = ['endpoint', 'bucket', 'objectKey', 'accessKeyId', 'secretAccessKey'].map(
    (name) => `s3Access.${name}`,
  )
  expect(fieldsOf({})).toEqual(Object.fromEntries(required.map((name) => [name, [`The ${name} field is required.`]])))
  for (const s3Access of ['text', null, []]) expect(Object.keys(fieldsOf(s3Access) ?? {})).toEqual(['s3Access'])
  expect(fieldsOf({ key: '../a' })).toMatchObject({ 's3Access.key': [expect.stringContaining('its bucket')] })
})

it.each([
  ['control/a.csv', '/tides/control/a.csv'],
  ['a/../b', '/tides/a/../b'],
  ['./a/./b', '/tides/./a/./b'],
  ['a/..', '/tides/a/..'],
  ['a//b/', '/tides/a//b/'],
  ["it's (1)*!+%2e.csv", '/tides/it%27s%20%281%29%2A%21%2B%252e.csv'],
])('s3: the key %s reaches the storage as it is', async (key, path) => {
  expect(await download(key, path)).toMatchObject({ status: 200 })
  expect(await download(key, path, true, '/base')).toMatchObject({ status: 200 })
})

it.each(['..', '../a', 'a/../../b', '../../../../test', 'a/.././..'])('s3: the key %s is refused', async (key) => {
  await expect(download(key, '/')).rejects.toMatchObject({ fields: { key: expect.anything() } })
})
