import { afterAll, describe, expect, it } from 'vitest'
import { FAULTS } from '../stress/torture/faults/all.js'
import { get } from '../stress/torture/lib/http.js'
import { judgeFile } from '../stress/torture/lib/judge.js'
import { Ledger } from '../stress/torture/lib/ledger.js'
import { reportOf } from '../stress/torture/report.js'
import { torture } from '../stress/torture/rounds.js'
import { contentOf } from '../stress/torture/storage.js'
import type { Sold } from '../stress/torture/world.js'
import { HostileServer } from './helpers/hostile-server.js'
import { sized } from './helpers/sizes.js'

const SEED = 20_261_122

/** A short fault of each kind; `npm run torture` runs them all. */
const SHORT = ['storage overlong', 'postgres cuts', 'postgres failed over, lagging', 'instance killed']

/** Bytes of the large file: many times what is read at once. */
const LARGE = sized(800_000, 3_000_000)

const onLinux = process.platform === 'linux'
if (!onLinux) console.warn('SKIPPED: torture. It reads descriptors of processes from /proc, which is Linux alone.')

describe('torture', () => {
  const stop = new AbortController()
  let run: ReturnType<typeof torture> | undefined
  // its processes must not outlive a time-out
  afterAll(async () => {
    stop.abort()
    await run?.catch(() => undefined)
  })

  it.runIf(onLinux)(
    'a short round of faults leaks nothing, and no wrong content is delivered',
    async () => {
      const faults = FAULTS.filter(({ name }) => SHORT.includes(name))
      expect(faults).toHaveLength(SHORT.length)
      run = torture({
        signal: stop.signal,
        seed: SEED,
        faults,
        rounds: faults.length,
        instances: { embedded: 1, postgres: 2 },
        buyers: 3,
        large: LARGE,
        faultDuration: [600, 1200],
        pause: 150,
        patience: 10,
      })
      const result = await run
      expect(result.ledger.findings).toEqual([])
      expect([...result.records.keys()].sort()).toEqual([...SHORT].sort())
      expect(result.ledger.nonces).toBeGreaterThan(20)
      expect(result.ledger.copiesRefused).toBeGreaterThan(10)
      expect(reportOf(result)).toContain('Nothing was found.')
    },
    900_000,
  )

  describe('detects', () => {
    const content = contentOf('a', 5000)
    const sold: Sold = { name: 'file', content, asset: undefined as unknown as Sold['asset'] }

    /** The findings about the response of a server that sends these bytes and closes. */
    async function found(said: string | Buffer, part?: [number, number]): Promise<string[]> {
      const server = await HostileServer.start((socket) => {
        socket.once('data', () => socket.end(said))
      })
      const ledger = new Ledger()
      judgeFile('download', await get(`http://127.0.0.1:${server.port}/`), sold, ledger, part)
      await server.close()
      return ledger.findings.map(({ what }) => what)
    }
    const answer = (head: string, body: Buffer) => Buffer.concat([Buffer.from(`HTTP/1.1 ${head}\r\n\r\n`), body])
    const wrong = Buffer.from(content)
    wrong[4000] = 0

    it.each([
      ['a wrong byte', answer('200 OK\r\ncontent-length: 5000', wrong), undefined, 'bytes are wrong'],
      [
        'a wrong byte in a truncated file',
        answer('200 OK\r\ncontent-length: 9000', wrong),
        undefined,
        'bytes are wrong',
      ],
      [
        'bytes beyond the end',
        answer('200 OK\r\ncontent-length: 5001', Buffer.concat([content, Buffer.from('x')])),
        undefined,
        '1 bytes beyond its end',
      ],
      [
        'a part that looks complete',
        answer('200 OK\r\ncontent-length: 4000', content.subarray(0, 4000)),
        undefined,
        'looks complete with 4000 of 5000 bytes',
      ],
      [
        'another range',
        answer('206 OK\r\ncontent-length: 16\r\ncontent-range: bytes 16-31/5000', content.subarray(16, 32)),
        [0, 15] as [number, number],
        'content-range is bytes 16-31/5000',
      ],
      ['an unexpected error', answer('500 No\r\ncontent-length: 2', Buffer.from('{}')), undefined, '500'],
    ])('%s', async (_, said, part, what) => {
      expect((await found(said, part)).join()).toContain(what)
    })

    it('nothing in a complete file, a range, a broken transfer and a refusal', async () => {
      const refusal = Buffer.from('{"code":"STORAGE_REFUSED"}')
      for (const said of [
        answer('200 OK\r\ncontent-length: 5000', content),
        answer('200 OK\r\ncontent-length: 5000', content.subarray(0, 4000)),
        answer(`502 No\r\ncontent-length: ${refusal.length}`, refusal),
      ])
        expect(await found(said)).toEqual([])
      const head = '206 OK\r\ncontent-length: 16\r\ncontent-range: bytes 16-31/5000'
      expect(await found(answer(head, content.subarray(16, 32)), [16, 31])).toEqual([])
    })

    it('a nonce accepted twice on one database, but not once on each of two databases', () => {
      const ledger = new Ledger()
      for (const database of ['embedded', 'postgres']) ledger.recordNonce(database, '0xa', '7')
      expect(ledger.findings).toEqual([])
      ledger.recordNonce('postgres', '0xa', '7')
      expect(ledger.findings.map(({ what }) => what)).toEqual(['nonce 7 of 0xa was accepted twice on postgres'])
    })
  })
})
