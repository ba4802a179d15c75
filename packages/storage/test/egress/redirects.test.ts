import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { clock } from '../../../../test/helpers/measured.js'
import { downloader, type RawRequest, RawStorage, rawAnswer } from '../../../../test/helpers/raw-storage.js'
import { type RequestUrl, redirectUrl, requestUrl } from '../../src/egress/request-url.js'
import { STORAGE_LIMITS } from '../../src/limits.js'

const FILE = rawAnswer('200 OK', {}, 'tide')
const utf8 = (text: string) => Buffer.from(text).toString('latin1')

let answer: (request: RawRequest) => string
let storage: RawStorage
let other: RawStorage
let origin: string
let download: ReturnType<typeof downloader>
beforeAll(() => {
  download = downloader()
})
afterAll(() => download.close())
beforeEach(async () => {
  storage = await RawStorage.start((request) => answer(request))
  other = await RawStorage.start((request) => answer(request))
  origin = `http://127.0.0.1:${storage.port}`
})
afterEach(async () => {
  await storage.close()
  await other.close()
})

/** Answers `/start` and its like with a redirect, and everything else with the file. */
function redirecting(location: string | string[], headers: Record<string, string | string[]> = {}) {
  answer = ({ target }) => (target.startsWith('/a/start') ? rawAnswer('302 Found', { location, ...headers }) : FILE)
}

describe('the target of a request', () => {
  it.each([
    ['/a/b.csv', '/a/b.csv'],
    ['', '/'],
    ['?', '/?'],
    ['?sig=a', '/?sig=a'],
    ['/a%2Fb/c', '/a%2Fb/c'],
    ['/a%2fb/%7ec/~d', '/a%2fb/%7ec/~d'],
    ['/a/./b/../c//d/', '/a/./b/../c//d/'],
    ['/a/%2e%2e/b', '/a/%2e%2e/b'],
    ['/a?sig=a+b%20c%2B/d==&empty=&empty=&bare&=&&', '/a?sig=a+b%20c%2B/d==&empty=&empty=&bare&=&&'],
    ["/it's?q='x'&a=\"b\"<>{}|`^", "/it's?q='x'&a=\"b\"<>{}|`^"],
    ['/a?', '/a?'],
    ['/100%?a=%zz', '/100%?a=%zz'],
    ['/a?next=http://other/?b#fragment?c', '/a?next=http://other/?b'],
    ['/a#', '/a'],
    ['/Höhe 潮.csv?ort=Übersee', '/H%C3%B6he%20%E6%BD%AE.csv?ort=%C3%9Cbersee'],
    ['  ', '/'],
    ['/tab\tin\nit', '/tabinit'],
    ['\\a\\b', '/a\\b'],
  ])('of %j reaches the storage as it is written', async (text, target) => {
    answer = () => FILE
    expect(await download.open(origin + text)).toMatchObject({ text: 'tide' })
    expect(storage.targets).toEqual([target])
  })

  it.each([
    ['/a?sig=%2f+~', { q: 'x y' }, '/a?sig=%2f+~&q=x+y'],
    ['/a', { q: 'ä&b=c' }, '/a?q=%C3%A4%26b%3Dc'],
    ['/a?', { q: 1 }, '/a?q=1'],
    ['/a?b&', { q: 1 }, '/a?b&q=1'],
    ['/a?b=%7e#top', { q: 1, b: 'override' }, '/a?b=%7e&q=1'],
    ['/a?b=%7e#top?', { b: 'override' }, '/a?b=%7e'],
    ['/a#top\u2028#', { q: 1 }, '/a?q=1'],
    ['/a?%62=own ', { b: 'override', c: { d: 1 } }, '/a?%62=own&c=%7B%22d%22%3A1%7D'],
  ])('of %j is extended by %j, and not re-encoded', async (text, userdata, target) => {
    answer = () => FILE
    await download.open(origin + text, {}, userdata)
    expect(storage.targets).toEqual([target])
  })

  it.each([
    'HTTP://127.0.0.1',
    'http:\\\\127.0.0.1',
    'http:127.0.0.1',
    'http:///127.0.0.1',
    'http://0x7f.1',
  ])('follows the host as the URL parser reads it in %s', async (start) => {
    answer = () => FILE
    await download.open(`${start}:${storage.port}/a?b`)
    expect(storage.targets).toEqual(['/a?b'])
  })
})

describe('a Location', () => {
  it.each([
    ['/b/c.csv', '/b/c.csv'],
    ['c.csv', '/a/c.csv'],
    ['./c.csv', '/a/c.csv'],
    ['../c.csv?d=%7e', '/c.csv?d=%7e'],
    ['../../../c/.', '/c/'],
    ['?d=e', '/a/start?d=e'],
    ['#top?', '/a/start?x=%7E'],
    ['/b#top', '/b'],
    [utf8('/Höhe 潮.csv?ort=Übersee'), '/H%C3%B6he%20%E6%BD%AE.csv?ort=%C3%9Cbersee'],
    ['/H\xf6he.csv', '/H%F6he.csv'],
    [utf8('/voilà'), '/voil%C3%A0'],
    ['/signed%2Fkey?sig=a+b/%2b~%7e&e=&e=', '/signed%2Fkey?sig=a+b/%2b~%7e&e=&e='],
    ['\t /spaced out ', '/spaced%20out'],
    ['/with\ttab', '/withtab'],
    ['/a\\b', '/a/b'],
    ['\\b', '/b'],
    ['http:c.csv', '/a/c.csv'],
    ['http:/b/c.csv', '/b/c.csv'],
    ["/b?q='x'&r={}|", "/b?q='x'&r={}|"],
    ['b?c=/../d', '/a/b?c=/../d'],
  ])('of %j is followed', async (location, target) => {
    let redirects = 1
    answer = () => (redirects-- > 0 ? rawAnswer('302 Found', { location }) : FILE)
    expect(await download.open(`${origin}/a/start?x=%7E`)).toMatchObject({ text: 'tide' })
    expect(storage.targets).toEqual(['/a/start?x=%7E', target])
  })

  it.each([
    'http://',
    'HTTP://',
    '//',
    'http:\\\\',
    '\\\\',
    '///',
    'hTTp:///',
  ])('with %s may name another host', async (start) => {
    redirecting(`${start}127.0.0.1:${other.port}/b%2fc?d#e`)
    expect(await download.open(`${origin}/a/start`)).toMatchObject({ text: 'tide' })
    expect(other.targets).toEqual(['/b%2fc?d'])
  })

  it('that is there twice is followed if both agree', async () => {
    redirecting(['/b', '/b'])
    expect(await download.open(`${origin}/a/start`)).toMatchObject({ text: 'tide' })
    redirecting(['/b', '/c'])
    await expect(download.open(`${origin}/a/start`)).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
  })

  it.each([
    '',
    ' \t ',
    'ftp://127.0.0.1/a',
    'file:///etc/passwd',
    'http://user@127.0.0.1/',
    'http://[',
    'http://a\xf6b/',
    `/${'a'.repeat(STORAGE_LIMITS.files.url)}`,
  ])('of %j is refused', async (location) => {
    redirecting(location)
    await expect(download.open(`${origin}/a/start`)).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
    expect(storage.targets).toEqual(['/a/start'])
  })
})

it('URLs of spaces are read in linear time', () => {
  const spaces = `http://127.0.0.1/${' '.repeat(1_000_000)}x`
  const begun = clock()
  const base = requestUrl(spaces) as RequestUrl
  redirectUrl(spaces, base)
  expect(clock() - begun).toBeLessThan(5_000)
})

describe('cookies of a chain of redirects', () => {
  /** Redirects from /a/start to `to` with cookies, and returns the Cookie header of the last request. */
  async function cookieAt(to: string, cookies: string[], headers: Record<string, string> = {}) {
    redirecting(to, { 'set-cookie': cookies })
    await download.open(`${origin}/a/start`, headers)
    return (other.requests.at(-1) ?? storage.requests.at(-1))?.headers.cookie
  }

  it.each<[string, string[], string | undefined]>([
    ['a plain one', ['a=1'], 'a=1'],
    ['several', ['a=1', 'b=2; HttpOnly; SameSite=Lax; Path=/'], 'a=1; b=2'],
    ['the path of the file', ['a=1; Path=/a/file'], 'a=1'],
    ['the longest path first', ['a=1; Path=/', 'b=2; Path=/a'], 'b=2; a=1'],
    ['another path', ['a=1; Path=/b', 'b=2; Path=/a/f'], undefined],
    ['its own host', ['a=1; Domain=127.0.0.1'], 'a=1'],
    ['another domain', ['a=1; Domain=example.org'], undefined],
    ['a secure one over plain HTTP', ['a=1; Secure', '__Host-b=2; Path=/'], undefined],
    ['one that is replaced', ['a=1', 'a=2'], 'a=2'],
    ['one that is deleted', ['a=1', 'b=2', 'a=; Max-Age=0', 'b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], undefined],
    ['one that lasts', ['a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], 'a=1'],
    ['a value with = and Latin-1', ['a=b==\xe9\xa0'], 'a=b==\xe9\xa0'],
    ['no name', ['=1', 'flag'], undefined],
    ['too long a value', [`a=${'x'.repeat(STORAGE_LIMITS.files.cookies.size)}`], undefined],
  ])('with %s', async (_what, cookies, expected) => {
    expect(await cookieAt('/a/file', cookies)).toBe(expected)
  })

  it('are bounded in number', async () => {
    const many = Array.from({ length: STORAGE_LIMITS.files.cookies.count + 9 }, (_, at) => `c${at}=1`)
    expect((await cookieAt('/a/file', many))?.split('; ')).toHaveLength(STORAGE_LIMITS.files.cookies.count)
  })

  it('join those of the publisher, and override them by name', async () => {
    expect(await cookieAt('/a/file', ['a=2'], { Cookie: 'own=1; a=1' })).toBe('own=1; a=2')
  })

  it('control: the publisher alone', async () => {
    expect(await cookieAt('/a/file', [], { Cookie: 'own=1;a=1' })).toBe('own=1;a=1')
  })

  it('are not sent to another origin, also not to another port', async () => {
    expect(await cookieAt(`http://127.0.0.1:${other.port}/`, ['a=1', 'b=2; Domain=127.0.0.1'])).toBeUndefined()
    expect(other.targets).toEqual(['/'])
  })

  it('are there again when the chain returns to their origin', async () => {
    answer = ({ target }) => {
      if (target === '/a/start')
        return rawAnswer('302 Found', { location: `http://127.0.0.1:${other.port}/login`, 'set-cookie': 'a=1' })
      if (target === '/login')
        return rawAnswer('303 See Other', { location: `${origin}/a/file`, 'set-cookie': 'b=2; Path=/' })
      return FILE
    }
    await download.open(`${origin}/a/start`)
    expect([...storage.requests, ...other.requests].map(({ headers }) => headers.cookie)).toEqual([
      undefined,
      'a=1',
      undefined,
    ])
  })

  it('never reach a later download', async () => {
    expect(await cookieAt('/a/file', ['a=1; Path=/'])).toBe('a=1')
    answer = () => FILE
    await download.open(`${origin}/a/file`)
    expect(storage.requests.at(-1)?.headers.cookie).toBeUndefined()
  })
})
