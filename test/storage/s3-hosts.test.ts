import { createRequire } from 'node:module'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { S3_KEYS } from '../helpers/backends.js'
import { StorageServer } from '../helpers/storage-server.js'
import { ASKING, testEgress, testRegistry } from '../helpers/storage-tools.js'

const aws4 = createRequire(import.meta.url)('aws4')

let server: StorageServer
const egress = testEgress()
beforeAll(async () => {
  server = await StorageServer.start()
})
afterAll(async () => {
  await egress.close()
  await server.close()
})

it('s3: without forcePathStyle the bucket is part of the host name, and of the signature', async () => {
  const { port } = new URL(server.origin)
  server.on('/2026/h%C3%B6he.csv', ({ headers, url }, response) => {
    const { authorization, host, 'x-amz-date': date } = headers
    const signed = { 'X-Amz-Date': date, 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' }
    const request = { host, path: url, method: 'GET', service: 's3', region: 'eu-1', headers: signed }
    const signature = (text: unknown) => /Signature=(\w+)/.exec(String(text))?.[1]
    const expected = signature(aws4.sign(request, S3_KEYS).headers.Authorization)
    const isRight = host === `tides.localhost:${port}` && signature(authorization) === expected
    response.writeHead(isRight ? 200 : 403).end('tide')
  })
  const file = testRegistry(egress).file({
    ...{ type: 's3', endpoint: `http://localhost:${port}`, bucket: 'tides', key: '2026/höhe.csv' },
    ...{ ...S3_KEYS, region: 'eu-1', forcePathStyle: false },
  })
  const { status, body } = await file.open({ ...ASKING, method: 'GET', headers: {} })
  let text = ''
  for await (const chunk of body) text += chunk
  expect([status, text]).toEqual([200, 'tide'])
})
