import type { LookupAddress } from 'node:dns'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ANYWHERE } from '../../../../test/helpers/policy.js'
import { downloader, RawStorage, rawAnswer } from '../../../../test/helpers/raw-storage.js'

const FILE = rawAnswer('200 OK', {}, 'tide')

let location: string | undefined
let allowed: RawStorage
let forbidden: RawStorage
let looked: string[]
let download: ReturnType<typeof downloader>

beforeAll(async () => {
  allowed = await RawStorage.start(({ target }) =>
    target === '/start' ? rawAnswer('302 Found', { location: location ?? '' }) : FILE,
  )
  forbidden = await RawStorage.start(() => FILE)
  download = downloader({
    // both servers are on this machine: ports tell them apart, and names by what is looked up
    policy: { ...ANYWHERE, ports: [[allowed.port, allowed.port]], deniedHosts: ['denied.example', '*.denied.example'] },
    lookup: (hostname, _options, callback) => {
      looked.push(hostname)
      callback(null, [{ address: '127.0.0.1', family: 4 }] as LookupAddress[])
    },
  })
})
afterAll(async () => {
  await download.close()
  await allowed.close()
  await forbidden.close()
})
beforeEach(() => {
  looked = []
})
afterEach(() => {
  expect(forbidden.requests).toEqual([])
})

/** Opens a URL directly, and by a redirect to it. Returns for each the file or the code of the error. */
async function tried(url: string) {
  const outcome = (opened: Promise<{ text: string }>) =>
    opened.then(
      ({ text }) => text,
      ({ code }: { code: string }) => code,
    )
  const direct = await outcome(download.open(url))
  location = Buffer.from(url)
    .toString('latin1')
    .replace(/[\r\n]/g, ' ')
  return [direct, await outcome(download.open(`http://127.0.0.1:${allowed.port}/start`))]
}

describe('the URL that is checked is the one that is connected to', () => {
  it('control: the allowed one', async () => {
    expect(await tried(`http://127.0.0.1:${allowed.port}/a`)).toEqual(['tide', 'tide'])
  })

  it('control: the forbidden one', async () => {
    expect(await tried(`http://127.0.0.1:${forbidden.port}/a`)).toEqual(['STORAGE_REFUSED', 'STORAGE_REFUSED'])
  })

  // A is the allowed host with its port, F the forbidden one
  it.each([
    'http://A\\@F/',
    'http://A\\F/',
    'http://A/@F/',
    'http://A/\\F/',
    'http://A#@F/',
    'http://A?@F/',
    'http://A/http://F/',
    'http://A//F/a',
    'http:A',
    'http:/A',
    'http:///A/F',
    'http:\\\\A\\F',
    'hTtP://A/',
    ' http://A/',
    'ht\ttp://A/',
    'http://127.0.0\t.1:AP/\t/F',
    'http://0x7f000001:AP/',
    'http://2130706433:AP/',
    'http://0177.1:AP/',
    'http://127。0．0｡1:AP/',
    'http://１２７.0.0.1:AP/',
    'http://%31%32%37.0.0.1:AP/',
    'http://127.0.0.1.:AP/',
    'http://127.0.0.1:0AP/',
  ])('%s leads to the allowed one alone', async (form) => {
    const before = allowed.requests.length
    const outcomes = await tried(written(form))
    expect(new Set(outcomes)).toEqual(new Set(['tide']))
    expect(allowed.requests.length).toBe(before + 3)
    for (const { headers, target } of allowed.requests.slice(before)) {
      expect(headers.host).toBe(`127.0.0.1:${allowed.port}`)
      expect(target).toMatch(/^\/[\x21-\x7e]*$/)
    }
  })

  it.each([
    'http://F\\@A/',
    'http://F/@A/',
    'http://F#@A/',
    'http://F?@A/',
    'http://A@F/',
    'http://A:@F/',
    'http://A%40F/',
    'http://A%2f@F/',
    'http://A%5c@F/',
    'http://A%23@F/',
    'http://A%00.F/',
    'http://A\t@F/',
    'http://user@A/',
    'http://user:word@A/',
    'http://A,F/',
    'http://A F/',
    'http://A%0d%0aHost:F/',
    'http://127.0.0.1:AP:FP/',
    'http://127.0.0.1:FP\t/',
    'http://127.0.0.1:/',
    'http://127.0.0.1:99999/',
    'http://127.0.0.1:-AP/',
    'http://[::ffff:127.0.0.1]:FP/',
    'http://[::1%25lo]:AP/',
    'http://[127.0.0.1]:AP/',
    'http://denied.example:AP/',
    'http://DENIED.example.:AP/',
    'http://a.denied。example:AP/',
    'http://ⓓenied.example:AP/',
    'http://den\u00adied.example:AP/',
    'http://denied%2eexample:AP/',
    'ftp://A/',
    'file:///etc/passwd',
    'javascript:A',
    'blob:http://A/',
    'ws://A/',
  ])('%s is refused', async (form) => {
    const outcomes = await tried(written(form))
    expect(outcomes.filter((outcome) => outcome === 'tide')).toEqual([])
    expect(looked).toEqual([])
  })

  it.each([
    ['http://b\u00fccher.example:AP/', 'xn--bcher-kva.example'],
    ['http://BÜCHER.example.:AP/', 'xn--bcher-kva.example.'],
    ['http://a.b%C3%BCcher.example:AP/', 'a.xn--bcher-kva.example'],
    ['http://fa\u00df.example:AP/', 'xn--fa-hia.example'],
  ])('%s is looked up as %s, which is its Host, too', async (form, name) => {
    const before = allowed.requests.length
    expect(await tried(written(form))).toEqual(['tide', 'tide'])
    expect(new Set(looked)).toEqual(new Set([name]))
    const hosts = allowed.requests.slice(before).map(({ headers }) => headers.host)
    expect(new Set(hosts)).toEqual(new Set([`${name}:${allowed.port}`, `127.0.0.1:${allowed.port}`]))
  })

  it.each([
    'http://A/a\r\nX-Injected: 1',
    'http://A/a HTTP/1.1\r\nX-Injected: 1\r\n\r\nGET /b',
    'http://A/?a=%0d%0aX-Injected: 1',
    'http://A/\u0000\u0001\u007f\u0085\u2028\ud800',
    'http://A/č\u010a\u010dX-Injected: 1',
  ])('%j injects nothing into the request', async (form) => {
    const before = allowed.requests.length
    expect((await tried(written(form)))[0]).toBe('tide')
    for (const { headers, target } of allowed.requests.slice(before)) {
      expect(headers).not.toHaveProperty('X-Injected')
      expect(target).toMatch(/^\/[\x21-\x7e]*$/)
    }
  })
})

function written(form: string): string {
  const ports = form.replace(/AP\b/g, String(allowed.port)).replace(/FP\b/g, String(forbidden.port))
  return ports
    .replace(/A(?![a-zÄ-ÿA-Z])/, `127.0.0.1:${allowed.port}`)
    .replace(/F(?![a-zÄ-ÿA-Z])/, `127.0.0.1:${forbidden.port}`)
}
