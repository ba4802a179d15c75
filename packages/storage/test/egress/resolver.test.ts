import { scrypt } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { HELD, heldBy } from '../../../../test/helpers/measured.js'
import { NameServer } from '../../../../test/helpers/name-server.js'
import { codeOf, FOUND, Names } from '../../../../test/helpers/names.js'
import { queryAddresses } from '../../src/egress/dns/dns-query.js'
import type { NameResolver } from '../../src/egress/dns/name-resolver.js'
import { STORAGE_LIMITS } from '../../src/limits.js'

const { perDomain, inFlight, failureTimeToLive: failure, maxTimeToLive: success } = STORAGE_LIMITS.dns

let all: Names
let { server, replies, names } = {} as Names
beforeEach(async () => {
  all = await Names.start()
  ;({ server, replies, names } = all)
})
afterEach(() => all.close())

/** A hanging look-up, and how to abort it. */
function hanging(name: string, by: NameResolver = names) {
  const controller = new AbortController()
  const ended = codeOf(by.resolve(name, controller.signal))
  return { ended, abort: () => controller.abort() }
}
const hangingAll = (list: string[]) => list.map((name) => hanging(name))
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)

describe('valid names', () => {
  it('are resolved, IPv4 first, in any case and with a trailing dot', async () => {
    expect(await names.resolve('files.example')).toEqual(FOUND)
    expect(await names.resolve('FILES.example.')).toEqual(FOUND)
    expect(server.count('files.example')).toBe(2) // A and AAAA, once
  })

  it('are returned in the form of dns.lookup', async () => {
    const look = (options: object) =>
      new Promise((resolve) => names.lookup('files.example', options, (...result) => resolve(result)))
    expect(await look({})).toEqual([null, '93.184.216.34', 4])
    expect(await look({ all: true })).toEqual([null, FOUND])
    expect(await look({ family: 6 })).toEqual([null, '2606:2800:220:1:248:1893:25c8:1946', 6])
    expect(await look({ family: 'IPv6', all: true })).toEqual([null, FOUND.slice(1)])
  })

  it('below localhost, and literal addresses, are resolved without a request', async () => {
    const loopback = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]
    replies.set('a.localhost', { addresses: ['8.8.8.8'] })
    for (const name of ['localhost', 'LOCALHOST.', 'a.localhost']) expect(await names.resolve(name)).toEqual(loopback)
    expect(await names.resolve('::1')).toEqual([{ address: '::1', family: 6 }])
    expect(server.asked).toEqual([])
  })

  it('may have addresses of one family, and may be aliases', async () => {
    replies.set('four.example', { addresses: ['8.8.8.8'] })
    replies.set('alias.example', { cname: 'other.example', addresses: ['8.8.4.4'] })
    expect(await names.resolve('four.example')).toEqual([{ address: '8.8.8.8', family: 4 }])
    expect(await names.resolve('alias.example')).toEqual([{ address: '8.8.4.4', family: 4 }])
  })

  it('are cached for their time to live, at most half a minute', async () => {
    replies.set('fleeting.example', { addresses: ['8.8.8.8'], ttl: 0 })
    for (let count = 1; count <= 3; count++) {
      await names.resolve('fleeting.example')
      expect(server.count('fleeting.example')).toBe(2 * count)
    }
    replies.set('long.example', { addresses: ['8.8.8.8'], ttl: 86_400 })
    replies.set('short.example', { addresses: ['8.8.8.8'], ttl: 2 })
    const ask = (name: string) => queryAddresses(name, new AbortController().signal, all.patient())
    expect((await ask('long.example')).lifetime).toBe(success)
    expect((await ask('short.example')).lifetime).toBe(2000)
  })
})

describe('slow name servers (threat 41)', () => {
  it('delay neither other names nor the file system nor key derivation when 100 look-ups hang', async () => {
    let hung: ReturnType<typeof hangingAll> = []
    const held = await heldBy(async () => {
      hung = hangingAll(upTo(100).map((at) => `x${at}.silent${at % 50}.test`))
      await eventually(() => server.asked.length >= 200)
      await Promise.all([
        names.resolve('files.example').then((found) => expect(found).toEqual(FOUND)),
        promisify(scrypt)('password', 'salt', 32),
        readFile(new URL(import.meta.url)),
      ])
      // all of them are still in flight
      expect(names.inFlight).toBe(100)
    })
    expect(held).toBeLessThan(HELD)
    for (const { abort } of hung) abort()
    expect(new Set(await Promise.all(hung.map(({ ended }) => ended)))).toEqual(new Set(['AbortError']))
    expect(names.inFlight).toBe(0)
  })

  it('a look-up ends at its deadline, and is not retried at once', async () => {
    names = all.resolver({ deadline: 200 })
    expect(await codeOf(names.resolve('x.silent.test'))).toBe('ETIMEDOUT')
    const before = server.asked.length
    expect(await codeOf(names.resolve('x.silent.test'))).toBe('ETIMEDOUT')
    expect(server.asked.length).toBe(before)
    expect(names.inFlight).toBe(0)
  })

  it('a missing answer for IPv6 does not delay until the deadline', async () => {
    const half = await NameServer.start((_name, type) => (type === 'A' ? { addresses: ['8.8.8.8'] } : undefined))
    const found = await queryAddresses('half.example', new AbortController().signal, all.patient(half))
    half.close()
    expect(found).toEqual({ addresses: [{ address: '8.8.8.8', family: 4 }], lifetime: failure })
  })

  it(`at most ${perDomain} look-ups of a domain are in flight; more are refused at once, other domains are not`, async () => {
    const hung = hangingAll(upTo(perDomain).map((at) => `x${at}.silent.test`))
    await eventually(() => names.inFlight === perDomain)
    expect(await codeOf(names.resolve('one.more.silent.test'))).toBe('DNS_BUSY')
    expect(await names.resolve('files.example')).toEqual(FOUND)
    // another look-up of the same name joins the one in flight
    const same = hanging('x0.silent.test')
    expect(names.inFlight).toBe(perDomain)
    for (const { abort } of [...hung, same]) abort()
  })

  it(`at most ${inFlight} look-ups are in flight in total`, async () => {
    const hung = hangingAll(upTo(inFlight).map((at) => `x${at}.silent${at % (2 * (inFlight / perDomain))}.test`))
    await eventually(() => names.inFlight === inFlight)
    expect(await codeOf(names.resolve('files.example'))).toBe('DNS_BUSY')
    hung[0]?.abort()
    expect(await names.resolve('files.example')).toEqual(FOUND)
    for (const { abort } of hung) abort()
  })

  it('an aborted look-up frees its slot without ending look-ups that others wait for', async () => {
    const hung = hangingAll(upTo(perDomain).map((at) => `x${at}.silent.test`))
    await eventually(() => names.inFlight === perDomain)
    const shared = hanging('x1.silent.test')
    hung[0]?.abort()
    hung[1]?.abort()
    expect(await Promise.all([hung[0]?.ended, hung[1]?.ended])).toEqual(['AbortError', 'AbortError'])
    expect(names.inFlight).toBe(perDomain - 1) // x1 continues for its other caller
    const next = hanging('next.silent.test')
    await eventually(() => names.inFlight === perDomain)
    for (const { abort } of [...hung, shared, next]) abort()
    expect(await shared.ended).toBe('AbortError')
    expect(names.inFlight).toBe(0)
    // an aborted signal starts no look-up
    expect(await codeOf(names.resolve('late.silent.test', AbortSignal.abort()))).toBe('AbortError')
    expect(server.count('late.silent.test')).toBe(0)
  })

  it('equal look-ups are shared', async () => {
    const found = await Promise.all(upTo(200).map(() => names.resolve('files.example')))
    expect(found).toEqual(found.map(() => FOUND))
    expect(server.asked.length).toBe(2)
  })

  it('failures are cached for a short time, for a bounded number of names', async () => {
    replies.set('broken.example', { rcode: 2 })
    for (let count = 0; count < 5; count++) {
      expect(await codeOf(names.resolve('nowhere.example'))).toBe('ENOTFOUND')
      expect(await codeOf(names.resolve('broken.example'))).toBe('EAI_AGAIN')
    }
    expect(server.count('nowhere.example')).toBe(2)
    const asked = server.count('broken.example')
    for (let at = 0; at < STORAGE_LIMITS.dns.cacheEntries; at += 100)
      await Promise.all(upTo(100).map((one) => codeOf(names.resolve(`x.nowhere${at + one}.example${one}`))))
    await codeOf(names.resolve('nowhere.example'))
    await codeOf(names.resolve('broken.example'))
    expect(server.count('nowhere.example')).toBe(4)
    expect(server.count('broken.example')).toBeGreaterThan(asked)
  })

  it('closing aborts all look-ups, and allows no more', async () => {
    const hung = hangingAll(upTo(20).map((at) => `x.silent${at}.test`))
    await eventually(() => names.inFlight === 20)
    names.close()
    expect(new Set(await Promise.all(hung.map(({ ended }) => ended)))).toEqual(new Set(['ECANCELLED']))
    expect(await codeOf(names.resolve('files.example'))).toBe('ECANCELLED')
    expect(names.inFlight).toBe(0)
  })

  it.runIf(process.platform === 'linux')('leave no open sockets', async () => {
    const open = () => readdirSync('/proc/self/fd').length
    const before = open()
    for (let round = 0; round < 5; round++) {
      const hung = hangingAll(upTo(100).map((at) => `x${round}.silent${at}.test`))
      const answered = upTo(100).map((at) => codeOf(names.resolve(`x${round}.nowhere${at}.test`)))
      await eventually(() => names.inFlight === 100)
      for (const { abort } of hung) abort()
      await Promise.all([...hung.map(({ ended }) => ended), ...answered])
    }
    await eventually(() => open() <= before + 2)
  })
})
