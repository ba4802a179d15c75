import { afterEach, expect, it, vi } from 'vitest'
import { webLink } from '../assets/asset-links.js'
import { fetchDocument } from './web-document.js'

const PROVIDER = 'https://provider.example'
const read = (url: string) => fetchDocument(PROVIDER, webLink(PROVIDER, url) as never, 'terms')

afterEach(() => vi.unstubAllGlobals())

it.each([
  'localhost',
  'router.local',
  '127.1',
  '0x7f000001',
  '10.0.0.1',
  '192.168.1.1',
  '172.20.0.1',
  '169.254.169.254',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[fd00::1]',
  '[fe80::1]',
])('reads no terms on the local network: %s', async (host) => {
  const fetched = vi.fn()
  vi.stubGlobal('fetch', fetched)
  await expect(read(`http://${host}/reboot`)).rejects.toMatchObject({ code: 'DOCUMENT_UNREADABLE' })
  expect(fetched).not.toHaveBeenCalled()
  // nor after a redirect
  fetched.mockResolvedValue(new Response(null, { status: 302, headers: { location: `http://${host}/reboot` } }))
  await expect(read('http://example.org/terms')).rejects.toThrow('local network')
  expect(fetched).toHaveBeenCalledTimes(1)
})

it('sends no cookies, and follows no redirect from https to http', async () => {
  const fetched = vi.fn()
  vi.stubGlobal('fetch', fetched)
  fetched.mockResolvedValue(new Response(null, { status: 302, headers: { location: 'http://example.org/' } }))
  await expect(read('https://example.org/terms')).rejects.toThrow('another scheme')
  expect(fetched).toHaveBeenCalledTimes(1)
  expect(fetched.mock.calls[0]?.[1]).toMatchObject({ credentials: 'omit', redirect: 'manual' })
  fetched.mockResolvedValueOnce(new Response(null, { status: 301, headers: { location: 'https://10.example/' } }))
  fetched.mockResolvedValueOnce(new Response('Terms', { headers: { 'content-type': 'text/plain' } }))
  expect(await read('http://example.org/terms')).toMatchObject({ contentType: 'text/plain', bytes: { length: 5 } })
})
