import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { AT_ONCE, eventually } from '../../../../test/helpers/eventually.js'
import {
  authentication,
  done,
  fields,
  message,
  ready,
  row,
  type Script,
} from '../../../../test/helpers/fake-postgres.js'
import { drip, flood } from '../../../../test/helpers/hostile-server.js'
import { heldBy } from '../../../../test/helpers/measured.js'
import { STORAGE_LIMITS } from '../../src/limits.js'
import { against, BEGUN, MEGABYTE, PATIENT, QUICK, STAGES, textOf } from './hostile-postgres.js'

const silent = () => undefined

describe('an honest PostgreSQL server (threat 44)', () => {
  it('works, with slow responses within the time limits', async () => {
    const later = (answer: Buffer) => (to: Socket) => void setTimeout(() => to.write(answer), 150)
    const { open, asking, file } = await against({
      startup: later(authentication(3)),
      password: later(Buffer.concat([authentication(0), ready()])),
      begin: later(Buffer.concat([done('BEGIN'), ready('T')])),
      rows: later(Buffer.concat([BEGUN, row('1'), message('s')])),
      more: later(Buffer.concat([row('2'), done('SELECT 2')])),
    })
    expect(await textOf((await open()).body)).toBe('a\n1\n2\n')
    expect(await file().describe(asking)).toEqual({ valid: true, contentType: 'text/csv' })
  })

  it('waits for a slow consumer, for longer than its own idle limit', async () => {
    const batch = (rows: number) => Array(rows).fill(row('x'.repeat(10_000)))
    let left = 20
    const stallTimeout = 3000
    const { open } = await against(
      {
        rows: (to) => to.write(Buffer.concat([BEGUN, ...batch(1), message('s')])),
        more: (to) => to.write(left-- > 0 ? Buffer.concat([...batch(16), message('s')]) : done('SELECT 321')),
      },
      { timeouts: { ...PATIENT, stallTimeout } },
    )
    const { body } = await open()
    await new Promise((resolve) => setTimeout(resolve, 1.5 * stallTimeout))
    expect((await textOf(body)).length).toBe(2 + 321 * 10_001)
  })

  it('works with rows of five megabytes', async () => {
    let left = 3
    const large = row('"'.repeat(5 * MEGABYTE))
    const { open } = await against({
      rows: (to) => to.write(Buffer.concat([BEGUN, large, message('s')])),
      more: (to) => to.write(left-- > 0 ? Buffer.concat([large, message('s')]) : done('SELECT 4')),
    })
    let length = 0
    const delay = await heldBy(async () => {
      for await (const chunk of (await open()).body) length += (chunk as Buffer).length
    })
    expect(length).toBe(2 + 4 * (10 * MEGABYTE + 3))
    // takes 50 ms; a regular expression that doubled quotes took 700 ms for each
    expect(delay).toBeLessThan(500)
  })
})

describe('a PostgreSQL server that stalls (threat 44)', () => {
  const mode = (stage: string) => (stage === 'tls' ? '?sslmode=verify-full' : '')

  it.concurrent.for(STAGES)('at %s: is abandoned at the deadline', async (stage, { onTestFinished: finished }) => {
    const script = { [stage]: silent, ...(stage === 'connect' ? MUTE : {}) }
    const { open, file, asking, server } = await against(script, { ...QUICK, finished })
    await expect(open(mode(stage))).rejects.toMatchObject({ code: 'STORAGE_TIMEOUT' })
    await eventually(() => server.open.size === 0)
    expect(await file(mode(stage)).describe({ ...asking, budget: 'anonymous' })).toMatchObject({ valid: false })
  })

  it.each(STAGES)('at %s: is disconnected at once when the client disconnects', async (stage) => {
    let reached = false
    const stop = () => {
      reached = true
    }
    const { open, gone, server, egress } = await against({ [stage]: stop, ...(stage === 'connect' ? MUTE : {}) })
    const opening = open(mode(stage)).catch((error) => error)
    await eventually(() => reached)
    expect(egress.inFlight('paid')).toBe(1)
    gone.abort()
    expect(await opening).toMatchObject({ code: 'STORAGE_TIMEOUT' })
    expect(egress.inFlight('paid')).toBe(0)
    await eventually(() => server.open.size === 0, AT_ONCE)
  })

  it.concurrent.for(['startup', 'rows'])('but for a byte at a time, at %s: is given up at the deadline', async (stage, {
    onTestFinished: finished,
  }) => {
    const script = { [stage]: (to: Socket) => drip(to, 20, message('S', 'x'.repeat(1000))) }
    const { open } = await against(script, { ...QUICK, finished })
    await expect(open()).rejects.toMatchObject({ code: 'STORAGE_TIMEOUT' })
  })

  it('between rows: breaks the transfer, and is disconnected when the consumer disconnects', async () => {
    const begun: Script = { rows: (to) => to.write(Buffer.concat([BEGUN, row('1'), message('s')])), more: silent }
    const stalled = await against(begun, QUICK)
    const { body } = await stalled.open()
    await expect(textOf(body)).rejects.toMatchObject({ code: 'STORAGE_TIMEOUT' })
    const left = await against(begun)
    const opened = await left.open()
    opened.body.resume()
    left.gone.abort()
    await eventually(() => opened.body.destroyed && left.server.open.size === 0, AT_ONCE)
    // even if nobody reads the body or listens to it
    const unread = await against(begun)
    const { body: idle } = await unread.open()
    idle.destroy()
    await eventually(() => unread.server.open.size === 0, AT_ONCE)
  })

  it.each([...STAGES, 'more'] as const)('by closing or resetting the connection at %s', async (stage) => {
    const begun: Script = { rows: (to) => to.write(Buffer.concat([BEGUN, row('1'), message('s')])) }
    for (const close of [(to: Socket) => to.end(), (to: Socket) => to.resetAndDestroy()]) {
      const { open } = await against({ ...(stage === 'more' ? begun : {}), [stage]: close })
      const opening = open(mode(stage)).then(({ body }) => textOf(body))
      await expect(opening).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
    }
  })

  it('by closing in the middle of a message', async () => {
    const half = (to: Socket) => to.end(Buffer.concat([BEGUN, row('x'.repeat(1000)).subarray(0, 500)]))
    const { open } = await against({ rows: half })
    await expect(open()).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
  })
})

/** Never answers. */
const MUTE: Script = { startup: silent }

describe('a PostgreSQL server that sends too much (threat 44)', () => {
  const HUGE = 700_000_000
  const piece = Buffer.alloc(65_536, 'x')
  const huge =
    (code: string, begin = Buffer.alloc(0)) =>
    (to: Socket) => {
      to.write(Buffer.concat([begin, message(code, '', HUGE)]))
      void flood(to, piece, HUGE).then((sent) => floods.push(sent))
    }
  const floods: number[] = []
  /** Repeats a message without end, in writes of a realistic size. */
  const endless = (one: Buffer) => (to: Socket) =>
    void flood(to, Buffer.concat(Array(Math.ceil(65_536 / one.length)).fill(one))).then((sent) => floods.push(sent))

  it.each<[string, Script]>([
    ['a way to log in', { startup: huge('R') }],
    ['a setting', { password: huge('S') }],
    ['an error', { startup: huge('E') }],
    ['a notice', { begin: huge('N') }],
    ['a list of columns', { rows: huge('T') }],
    ['a row', { rows: huge('D', BEGUN) }],
    ['the end of a query', { rows: huge('C', BEGUN) }],
    ['settings without end', { password: endless(message('S', 'a\0b\0')) }],
    ['notices without end', { rows: endless(message('N', fields('Mx'))) }],
    ['rows that nobody asked for', { begin: endless(row('x')) }],
    [
      'more rows than asked for',
      {
        rows: (to) => {
          to.write(BEGUN)
          endless(row('x'))(to)
        },
      },
    ],
    ['what is no message', { startup: endless(piece) }],
  ])('is cut off before 700 MB are buffered: %s', async (_, script) => {
    floods.length = 0
    const { open } = await against(script)
    const before = process.memoryUsage().rss
    const delay = await heldBy(async () => {
      await expect(open()).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
    })
    await eventually(() => floods.length === 1)
    // no more than the socket buffers hold
    expect(floods[0]).toBeLessThan(32 * MEGABYTE)
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MEGABYTE)
    expect(delay).toBeLessThan(500)
  })

  it('is asked only for rows that are read', async () => {
    let batches = 0
    const { open } = await against({
      rows: (to) => to.write(Buffer.concat([BEGUN, row('x'.repeat(1000)), message('s')])),
      more: (to) => {
        batches += 1
        to.write(Buffer.concat([...Array(16).fill(row('x'.repeat(1000))), message('s')]))
      },
    })
    const { body } = await open()
    await eventually(() => body.readableLength > 16_384)
    const asked = batches
    // no more rows are requested while nobody reads, whatever else happens
    for (let other = 0; other < 3; other++) await textOf((await (await against({})).open()).body)
    expect(batches).toBe(asked)
    expect(batches).toBeLessThan(10)
    for await (const _ of body) if (batches > 50) break
  })

  it("is cut off at the operator's limits of rows and bytes", async () => {
    const endless: Script = {
      rows: (to) => to.write(Buffer.concat([BEGUN, row('x'.repeat(1000)), message('s')])),
      more: (to) => to.write(Buffer.concat([...Array(16).fill(row('x'.repeat(1000))), message('s')])),
    }
    const { open } = await against(endless, { maxBytes: 100_000 })
    const { body } = await open()
    await expect(textOf(body)).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
  })

  it('serves only small rows without an order, and is described without reading any', async () => {
    const large = row('x'.repeat(STORAGE_LIMITS.sql.row.anonymous + 1))
    const { file, asking } = await against({
      rows: (to) => {
        to.write(BEGUN)
        to.write(large)
      },
    })
    await expect(file().open({ ...asking, budget: 'anonymous' })).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
    expect(await file().describe({ ...asking, budget: 'anonymous' })).toEqual({ valid: true, contentType: 'text/csv' })
  })
})
