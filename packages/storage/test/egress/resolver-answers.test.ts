import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, NameServer } from '../../../../test/helpers/name-server.js'
import { codeOf, FOUND, Names } from '../../../../test/helpers/names.js'
import { ASKING, testEgress } from '../../../../test/helpers/storage-tools.js'
import { pinnedAddress } from '../../src/egress/connector.js'
import { Destinations } from '../../src/egress/destinations.js'
import { STORAGE_LIMITS } from '../../src/limits.js'

const { addresses: perFamily } = STORAGE_LIMITS.dns

let all: Names
let { server, replies, names } = {} as Names
beforeEach(async () => {
  all = await Names.start()
  ;({ server, replies, names } = all)
})
afterEach(() => all.close())

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)

describe('malformed DNS answers (threat 41)', () => {
  it('with a thousand addresses: a few are used', async () => {
    const many = upTo(1000).map((at) => `93.184.${at >> 8}.${at & 255}`)
    replies.set('many.example', { addresses: many })
    const found = await names.resolve('many.example')
    expect(found.map(({ address }) => address)).toEqual(many.slice(0, perFamily))
    expect(server.asked.some(({ over }) => over === 'tcp')).toBe(true)
  })

  it('truncated, with no answer over TCP: time out at the deadline', async () => {
    const cut = await NameServer.start((_name, _type, over) =>
      over === 'udp' ? { addresses: upTo(100).map((at) => `93.184.0.${at}`) } : undefined,
    )
    const cautious = all.resolver({ servers: [cut.address], deadline: 300 })
    expect(await codeOf(cautious.resolve('cut.example'))).toBe('ETIMEDOUT')
    cut.close()
  })

  it('to another question: are ignored', async () => {
    const forged = (query: Buffer) => {
      const packet = answer(query, 'A', { addresses: ['8.8.8.8'] })
      packet.writeUInt16BE(packet.readUInt16BE(0) ^ 1, 0)
      return packet
    }
    replies.set('forged.example', { raw: (query) => upTo(50).map(() => forged(query)) })
    expect(await codeOf(all.resolver({ deadline: 300 }).resolve('forged.example'))).toBe('ETIMEDOUT')
    replies.set('both.example', {
      raw: (query) => [
        forged(query),
        answer(query, query.readUInt16BE(query.length - 4) === 1 ? 'A' : 'AAAA', { addresses: ['1.1.1.1'] }),
      ],
    })
    expect(await names.resolve('both.example')).toEqual([{ address: '1.1.1.1', family: 4 }])
  })

  it('incomplete, endless or malformed: are an error, and the next look-up works', async () => {
    const good = (query: Buffer) => answer(query, 'A', { addresses: ['8.8.8.8'], cname: 'a.example' })
    const spoilt: ((query: Buffer) => Buffer)[] = [
      (query) => query.subarray(0, 5),
      (query) => query,
      (query) => good(query).subarray(0, -3),
      // claims 65535 answers, but has two
      (query) => patched(good(query), 6, 0xffff),
      // an alias whose name points to itself
      (query) => patched(good(query), query.length + 12, 0xc000 | (query.length + 12)),
      (query) => Buffer.concat([query.subarray(0, 2), Buffer.alloc(500, 0xff)]),
      (query) => Buffer.concat([query.subarray(0, 2), Buffer.alloc(9000)]),
    ]
    for (const [at, spoil] of spoilt.entries()) {
      replies.set(`spoilt${at}.example`, { raw: (query) => [spoil(query)] })
      const code = await codeOf(all.resolver({ deadline: 500 }).resolve(`spoilt${at}.example`))
      expect(['ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT']).toContain(code)
    }
    expect(await names.resolve('files.example')).toEqual(FOUND)
  })

  it('with random bytes: every look-up ends, with addresses or an error', async () => {
    const cautious = all.resolver({ deadline: 500 })
    let seed = 41
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
      return (seed >> 8) % below
    }
    const mutated = (query: Buffer) => {
      const packet = answer(query, 'A', { cname: 'alias.example', addresses: ['8.8.8.8', '8.8.4.4'] })
      for (let count = random(4); count >= 0; count--) packet[2 + random(packet.length - 2)] = random(256)
      return [packet.subarray(0, random(4) === 0 ? random(packet.length) : packet.length)]
    }
    const outcomes = new Set<string>()
    for (let round = 0; round < 5; round++)
      await Promise.all(
        upTo(100).map(async (at) => {
          const name = `x.mutated${round}-${at}.example${at}`
          replies.set(name, { raw: mutated })
          const found = await cautious.resolve(name).catch(({ code }) => code as string)
          outcomes.add(typeof found === 'string' ? found : 'found')
          if (typeof found !== 'string') expect(found.every(({ address }) => isIP(address) > 0)).toBe(true)
        }),
      )
    expect(['EAI_AGAIN', 'ENOTFOUND', 'ETIMEDOUT', 'found']).toEqual(expect.arrayContaining([...outcomes]))
    expect(outcomes.size).toBeGreaterThan(1)
    expect(cautious.inFlight).toBe(0)
    expect(await names.resolve('files.example')).toEqual(FOUND)
  })

  it.each([
    '',
    '.',
    'a..example',
    '.example',
    'example..',
    `${'x'.repeat(64)}.example`,
    `${'x.'.repeat(126)}example`,
    'files example',
    'files.example\0.silent.test',
    'fïles.example',
    'files%2eexample',
    '127.1',
    '0x7f.1',
    '2130706433',
    '1.2.3.4.5',
  ])('are not requested for the invalid name %j', async (name) => {
    expect(await codeOf(names.resolve(name))).toBe('ENOTFOUND')
    expect(server.asked).toEqual([])
  })

  it('control: underscores and the longest name are valid', async () => {
    const longest = `${'x'.repeat(63)}.`.repeat(3) + 'y'.repeat(61)
    for (const name of ['_files.my_bucket.example', longest]) {
      replies.set(name, { addresses: ['8.8.8.8'] })
      expect(await names.resolve(name)).toEqual([{ address: '8.8.8.8', family: 4 }])
    }
  })

  it('cause errors with fixed messages, since a name is part of the location', async () => {
    const error = await names.resolve('secret.nowhere.example').catch((reason: Error) => reason)
    expect(`${(error as Error).message} ${(error as Error).stack}`).not.toContain('secret')
  })
})

describe('fetching files by name (threat 41)', () => {
  let storage: Server
  let port: number
  let connections: number
  const start = async (host: string) => {
    connections = 0
    storage = createServer((_request, response) => response.end('inside'))
    storage.on('connection', () => {
      connections += 1
    })
    storage.listen(0, host)
    await once(storage, 'listening')
    port = (storage.address() as AddressInfo).port
  }
  afterEach(() => storage.close())
  /** The outcome of a request for a name. */
  const fetched = async (name: string, allowNonPublic: boolean, lookup = names.lookup) => {
    const egress = testEgress({ allowNonPublic, lookup })
    const found = egress.request({ ...ASKING, url: `http://${name}:${port}/`, method: 'GET', headers: {} })
    const outcome = await found.then(
      ({ status, body }) => {
        body.resume()
        return status
      },
      ({ code }) => code,
    )
    await egress.close()
    return outcome
  }

  it('refuses an alias of a private address, alone or beside a public one, before connecting', async () => {
    await start('127.0.0.1')
    replies.set('alias.example', { cname: 'inside.example', addresses: ['127.0.0.1'] })
    replies.set('mixed.example', { cname: 'inside.example', addresses: ['8.8.8.8', '127.0.0.1'] })
    replies.set('six.example', { addresses: ['8.8.8.8', '::1'] })
    for (const name of ['alias.example', 'mixed.example', 'six.example'])
      expect(await fetched(name, false), name).toBe('STORAGE_REFUSED')
    expect(connections).toBe(0)
    // the same name, where it is allowed
    expect(await fetched('alias.example', true)).toBe(200)
    expect(connections).toBe(1)
  })

  it('uses the address family that answers', async () => {
    replies.set('both.example', { addresses: ['127.0.0.1', '::1'] })
    await start('127.0.0.1')
    expect(await fetched('both.example', true)).toBe(200)
    storage.close()
    await start('::1')
    expect(await fetched('both.example', true)).toBe(200)
  })

  it('ends with a storage time-out when the name is never resolved', async () => {
    await start('127.0.0.1')
    expect(await fetched('x.silent.test', true, all.resolver({ deadline: 100 }).lookup)).toBe('STORAGE_TIMEOUT')
    expect(await fetched('nowhere.example', true)).toBe('STORAGE_REFUSED')
  })

  it('connects to the address that was checked, and aborts the look-up when the client disconnects', async () => {
    await start('127.0.0.1')
    replies.set('alias.example', { cname: 'inside.example', addresses: ['127.0.0.1'] })
    const way = (allowNonPublic: boolean) => ({
      destinations: new Destinations({ allowNonPublic }),
      lookup: names.lookup,
    })
    expect(await pinnedAddress('files.example', way(false))).toBe('93.184.216.34')
    expect(await pinnedAddress('alias.example', way(true))).toBe('127.0.0.1')
    expect(await codeOf(pinnedAddress('alias.example', way(false)))).toBe('FORBIDDEN_DESTINATION')
    expect(await pinnedAddress('[2606:2800:0220::1]', way(false))).toBe('2606:2800:220::1')
    expect(await codeOf(pinnedAddress('127.1', way(false)))).toBe('FORBIDDEN_DESTINATION')
    const controller = new AbortController()
    const pinned = codeOf(pinnedAddress('x.silent.test', way(true), controller.signal))
    await expect.poll(() => names.inFlight).toBe(1)
    controller.abort()
    expect(await pinned).toBe('AbortError')
    expect(names.inFlight).toBe(0)
    expect(await codeOf(pinnedAddress('files.example', way(true), controller.signal))).toBe('AbortError')
  })
})

function patched(packet: Buffer, at: number, value: number): Buffer {
  packet.writeUInt16BE(value, at)
  return packet
}
