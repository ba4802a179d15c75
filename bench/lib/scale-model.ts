import { availableParallelism } from 'node:os'
import { type Demand, simulate } from './queueing.js'
import { type Row, rounded } from './report.js'

/** What was measured of each kind of request: its demand at one process, and rates and p99 (ms) by number of processes. */
export type Measured = Record<string, Demand & { rates: Record<string, number>; p99: Record<string, number> }>

/** As configured by default. */
const CONNECTIONS = 10
/** Seconds of a sync on the machine that was measured: by the commits at 8 clients, of which three share one. */
const FLUSH_HERE = 0.0006
/** Assumed of many machines: a database in the same data centre, on a disk that makes a write durable in a millisecond. */
const ROUND_TRIP = 0.0005
const FLUSH = 0.001
/** Requests that each process of many machines is busy with at once. */
const BUSY = 32

/** Predicts what was measured, from what a request takes at one process. */
export function modelSmall(measured: Measured, smoke: boolean): Row[] {
  return Object.entries(measured).flatMap(([request, { rates, p99, ...demand }]) =>
    Object.entries(rates).map(([size, rate]) => {
      const site = { connections: CONNECTIONS, roundTrip: 0, flush: FLUSH_HERE, clients: 32 }
      const here = { ...site, instances: Number(size), cores: { shared: availableParallelism() } }
      const predicted = simulate(here, demand, 1, smoke ? 2000 : undefined)
      return {
        request,
        processes: Number(size),
        'per second': Math.round(rate),
        'the model says': Math.round(predicted.rate),
        'of measured': rounded(predicted.rate / rate),
        'p99 ms': rounded(p99[size] as number, 1),
        'its p99 ms': rounded(predicted.p99, 1),
      }
    }),
  )
}

/** What many machines do, each process on a core of its own, on one database. */
export function modelLarge(measured: Measured, smoke: boolean): Row[] {
  const kinds = ['download 1 KiB, signed', 'download 1 KiB, token']
  return kinds.flatMap((request) => {
    const { service, database, writes } = measured[request] as Demand
    const demand = { service, database, writes, storage: 0, load: 0 }
    return [4, 16].flatMap((cores) => {
      let one: number | undefined
      return [1, 4, 16, 64].map((instances) => {
        const site = { connections: CONNECTIONS, roundTrip: ROUND_TRIP, flush: FLUSH, cores: { database: cores } }
        const amount = smoke ? 2000 : 40_000 + 4000 * instances
        const found = simulate({ ...site, instances, clients: BUSY * instances }, demand, 1, amount)
        one ??= found.rate
        return {
          request,
          'database cores': cores,
          processes: instances,
          'per second': Math.round(found.rate),
          'of linear': rounded(found.rate / one / instances),
          'p99 ms': rounded(found.p99, 1),
          'cores in use': rounded(found.databaseCores, 1),
          'commits a sync': rounded(found.commitsPerFlush, 1),
          connections: found.connections,
        }
      })
    })
  })
}
