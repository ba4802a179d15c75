import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { atEnd } from '../../../test/helpers/cleanup.js'
import { createContext } from '../src/create-context.js'
import { ownUploads } from '../src/node/own-uploads.js'

const entry = (id: string, more: object = {}) => {
  const file = { id, size: 4, sha256: 'ab'.repeat(32), object: { type: 'hosted', id }, assets: ['did:op:1'] }
  return { ...file, ...more }
}
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const TOKEN = `${part({})}.${part({ address: '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260', exp: 4e9 })}.x`

/** The ids of the files that a provider lists. */
async function listed(answer: (response: ServerResponse, after: string | null) => void): Promise<string[]> {
  const server = createServer(({ url }, response) =>
    answer(response, new URL(url ?? '', 'http://a').searchParams.get('after')),
  )
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  atEnd(async () => {
    server.closeAllConnections()
    server.close()
  })
  const context = createContext({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: TOKEN })
  const ids: string[] = []
  for await (const { id } of ownUploads(context)) ids.push(id)
  return ids
}

it('lists complete private files, page by page', async () => {
  const open = entry('b', { sha256: null })
  const shared = entry('c', { object: undefined, publicUrl: '/x' })
  const pages = { first: { uploads: [entry('a'), open, shared], next: 'c' }, c: { uploads: [entry('d')] } }
  expect(await listed((response, after) => response.end(JSON.stringify(after ? pages.c : pages.first)))).toEqual([
    'a',
    'd',
  ])
})

it.each<[string, (response: ServerResponse) => unknown, string]>([
  ['goes round', (response) => response.end('{"uploads":[],"next":"a"}'), 'BAD_ANSWER'],
  ['names no file', (response) => response.end(JSON.stringify({ uploads: [entry('../x')] })), 'BAD_ANSWER'],
  ['never ends', (response) => response.end(' '.repeat(20_000_000)), 'BAD_ANSWER'],
  [
    'breaks off',
    (response) => response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy()),
    'UNREACHABLE',
  ],
])('refuses a list that %s', async (_, answer, code) => {
  await expect(listed(answer)).rejects.toMatchObject({ code })
})
