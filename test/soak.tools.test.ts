import { afterAll, describe, expect, it } from 'vitest'
import { excessOf, type Held } from '../stress/soak/database.js'
import { slowGrowth } from '../stress/soak/growth.js'
import { SoakLedger } from '../stress/soak/ledger.js'
import { Machine } from '../stress/soak/machine.js'
import type { Quiet, Rest } from '../stress/soak/quiet.js'
import { reportOf } from '../stress/soak/report.js'
import { soak } from '../stress/soak/soak.js'
import { UnderWay } from '../stress/soak/under-way.js'
import { FAULTS } from '../stress/torture/faults/all.js'
import type { Fault } from '../stress/torture/faults/fault.js'
import { LOCATION } from '../stress/torture/storage.js'
import { eventually } from './helpers/eventually.js'
import { sized } from './helpers/sizes.js'

const SEED = 20_261_122

/** A fault of each kind, of those that no time-out has to pass for. */
const SHORT = ['storage resets', 'first node refusing', 'postgres restarted', 'instance killed']

/** No busy machine reaches them, so that no request fails but for a fault. */
const PATIENT = Object.fromEntries(
  [
    'RPC_TIMEOUT',
    'DATABASE_TIMEOUT',
    'STORAGE_CONNECT_TIMEOUT',
    'STORAGE_RESPONSE_TIMEOUT',
    'STORAGE_STALL_TIMEOUT',
    'CONSUMER_STALL_TIMEOUT',
    'DESCRIBE_TIMEOUT',
  ].map((name) => [name, '60000']),
)

/** Bytes of the large file: many times what is read at once. */
const LARGE = sized(800_000, 3_000_000)

const fault = (name: string) => FAULTS.find((one) => one.name === name) as Fault

const onLinux = process.platform === 'linux'
if (!onLinux)
  console.warn('SKIPPED: soak. It reads memory and descriptors of processes from /proc, which is Linux alone.')

describe('soak', () => {
  const stop = new AbortController()
  let run: ReturnType<typeof soak> | undefined
  // its processes must not outlive a time-out
  afterAll(async () => {
    stop.abort()
    await run?.catch(() => undefined)
  })

  it.runIf(onLinux)(
    'a short run with faults leaves nothing behind',
    async () => {
      run = soak({
        signal: stop.signal,
        seed: SEED,
        database: 'postgres',
        instances: 2,
        rate: 1000,
        faults: SHORT.map(fault),
        faultsPerPhase: SHORT.length,
        phases: 1,
        warmUp: 60,
        underFault: [20, 40],
        between: [5, 10],
        settle: 0,
        buyers: 6,
        large: LARGE,
        settings: PATIENT,
      })
      const result = await run
      expect(result.ledger.findings).toEqual([])
      expect([...result.records.keys()].sort()).toEqual([...SHORT].sort())
      expect(result.phases).toHaveLength(2)
      expect(result.ledger.nonces).toBeGreaterThan(20)
      // most kinds of requests were made, and passed
      expect([...result.ledger.requests.values()].filter(({ ok }) => ok > 0).length).toBeGreaterThan(10)
      expect(reportOf(result)).toContain('Nothing was found.')
    },
    900_000,
  )

  describe('detects', () => {
    const quietMachine = { crowdedSince: () => false }
    const found = (work: (ledger: SoakLedger, underWay: UnderWay) => unknown) => {
      const underWay = new UnderWay(quietMachine)
      const ledger = new SoakLedger(underWay, () => undefined)
      work(ledger, underWay)
      return ledger.findings.map(({ what }) => what).join()
    }

    it('a 5xx that no fault explains, and none that one does', () => {
      expect(found((ledger) => ledger.countRefusal(503, 'STATE_UNAVAILABLE'))).toContain('no fault explains')
      const during = (name: string) =>
        found((ledger, underWay) => {
          underWay.begin(fault(name))
          ledger.countRefusal(503, 'STATE_UNAVAILABLE')
        })
      expect(during('storage resets')).toContain('no fault explains')
      expect(during('postgres killed')).toBe('')
    })

    it('a status or a code that the contract does not have', () => {
      expect(found((ledger) => ledger.countRefusal(404, 'TOKEN_EXPIRED'))).toContain('knows no 404 TOKEN_EXPIRED')
      expect(found((ledger) => ledger.countRefusal(400, 'NO_SUCH_CODE'))).toContain('knows no 400 NO_SUCH_CODE')
      expect(found((ledger) => ledger.countRefusal(400, 'TOKEN_EXPIRED'))).toBe('')
      expect(found((ledger) => ledger.countRefusal(400, 'nonce: too low'))).toBe('')
    })

    it('a location in a header, an error, or a log, but not in a file', () => {
      const body = Buffer.from(`at /${LOCATION}/`)
      const got = { status: 200, headers: {}, body, complete: true }
      expect(found((ledger) => ledger.checkResponse('one', got, false))).toContain('a secret is in a response')
      const headers = { 'x-location': LOCATION }
      expect(found((ledger) => ledger.checkResponse('one', { ...got, headers }, true))).toContain('a secret')
      expect(found((ledger) => ledger.checkLine(`{"url":"/${LOCATION}"}`))).toContain('in the log')
      expect(found((ledger) => ledger.checkResponse('one', got, true))).toBe('')
    })

    it('a request that failed although nothing that it needs was broken', () => {
      const underWay = new UnderWay(quietMachine)
      const begun = Date.now()
      underWay.begin(fault('storage refuses'))
      expect(underWay.hadToPass('createAuthToken', begun)).toBe(true)
      expect(underWay.hadToPass('download with a token', begun)).toBe(false)
      const killed = underWay.begin(fault('instance killed'))
      expect(underWay.hadToPass('nonce', begun)).toBe(true)
      const locked = underWay.begin(fault('postgres killed'))
      expect(underWay.hadToPass('nonce', begun)).toBe(false)
      underWay.end(locked)
      underWay.end(killed)
      // a request that began before the fault ended
      expect(underWay.hadToPass('nonce', begun)).toBe(false)
      expect(underWay.hadToPass('nonce', Date.now() + 1)).toBe(true)
    })

    it('no time-outs on a crowded machine, but all that is no matter of time', () => {
      const underWay = new UnderWay({ crowdedSince: () => true })
      const ledger = new SoakLedger(underWay, () => undefined)
      expect(underWay.hadToPass('nonce', Date.now())).toBe(false)
      ledger.countRefusal(503, 'STATE_UNAVAILABLE')
      expect(ledger.findings).toEqual([])
      ledger.countRefusal(500, 'INTERNAL')
      ledger.recordNonce('postgres', '0xa', '7')
      ledger.recordNonce('postgres', '0xa', '7')
      expect(ledger.findings.map(({ what }) => what)).toEqual([
        'no fault explains 500 INTERNAL',
        'nonce 7 of 0xa was accepted twice on postgres',
      ])
    })

    it('a crowd, and its end', async () => {
      let load = 0
      const machine = new Machine(() => load)
      try {
        const begun = Date.now()
        expect(machine.crowdedSince(begun)).toBe(false)
        load = 1000
        await eventually(() => machine.crowdedSince(begun))
        expect(machine.seconds).toBeGreaterThan(0)
        expect(machine.crowdedSince(Date.now() + 60_000)).toBe(false)
      } finally {
        machine.stop()
      }
    })

    it('rows, connections, transactions and a log that stay', () => {
      const held: Held = { connections: 4, stuck: 0, wal: 1000, rows: { nonces: 5, leases: 1 } }
      const excess = (changed: Partial<Held>) => excessOf('postgres', { ...held, ...changed }, held, { nonces: 5 })
      expect(excess({})).toEqual([])
      expect(excess({ rows: { nonces: 6, leases: 1 } })).toEqual(['6 rows in nonces, at most 5'])
      expect(excess({ rows: { nonces: 5, leases: 99 } }).join()).toContain('leases')
      expect(excess({ connections: 40 })).toEqual(['40 connections, at first 4'])
      expect(excess({ stuck: 1 }).join()).toContain('transaction')
      expect(excess({ wal: 2 ** 30 }).join()).toContain('1024 MiB')
    })

    it('memory that grows slowly, but not that of a process that was started anew', () => {
      const phases = (memory: (at: number) => number, starts: (at: number) => number = () => 1) =>
        Array.from({ length: 12 }, (_, at): Quiet => {
          const rest = { files: 20, sockets: 10, memory: memory(at), lag: 10, active: 0, peak: 200, starts: starts(at) }
          return { at, recovered: 0, instances: new Map<string, Rest>([['one', rest]]), databases: new Map() }
        })
      expect(slowGrowth(phases((at) => 100 + at * 10))).toEqual([expect.stringContaining('memory grew')])
      expect(slowGrowth(phases((at) => 100 + (at % 3) * 15))).toEqual([])
      const restarted = (at: number) => (at < 8 ? 1 : 2)
      expect(slowGrowth(phases((at) => 100 + at * 10, restarted))).toEqual([])
    })
  })
})
