import { expect, it } from 'vitest'
import { factsOf } from '../../packages/client/src/download/headers.js'
import { contentDisposition } from '../../packages/provider/src/http/files/disposition.js'

/** Names that storages give files, as packages/storage/test/http/file-names.test.ts reads them. */
it.each([
  ...['tides.csv', 'tide tables.csv', 'Höhe 潮.csv', 'voilà', '€–ü.csv', 'ſ\u212a.csv', 'прилив.csv', '조수.csv'],
  ...['100% of 5%.csv', 'H%F6he.csv', 'Höhe = 1.csv', '=?x-none?Q?a.csv?=', 'a"b;c.csv', '_aux.csv', 'LICENSE'],
  `${'潮'.repeat(65)}.csv`,
])('the name %j passes through the header of a download to the client', (name) => {
  const header = contentDisposition(name, 'fallback')
  const plain = /^attachment;filename=(?:"([\x20-\x7e]+)"|([\x21-\x7e]+))/.exec(header)
  expect(plain?.[1] ?? plain?.[2]).toBe(name.replace(/[^\x20-\x7e]|"|%(?=[0-9A-Fa-f]{2})/gu, '_'))
  const onDisk = name.replace(/[<>:"|?*]/g, '_')
  expect(factsOf(new Response('', { headers: { 'content-disposition': header } }), 0).name).toBe(onDisk)
})
