import { finished } from 'node:stream/promises'
import { testEgress, testRegistry } from '../test/helpers/storage-tools.js'
import type { Benchmark } from './lib/benchmark.js'
import { startHelper } from './lib/processes.js'
import { median, type Row, report, rounded, spread } from './lib/report.js'

const MEBIBYTE = 1_048_576

/** One transfer: MiB per second, bytes fetched per byte delivered, and seconds of CPU per GiB. */
interface Reading {
  rate: number
  cost: number
  cpu: number
}

/**
 * Measures files on IPFS from a gateway at a distance, against a plain file over HTTP at the same distance. BENCH_MIB sets
 * their size in MiB.
 */
export const ipfs: Benchmark = async (options) => {
  const { smoke } = options
  const mebibytes = smoke ? 8 : Number(process.env.BENCH_MIB ?? 64)
  const rows: Row[] = []
  for (const delay of smoke ? [10] : [50, 100])
    for (const leaf of [256, 1024]) {
      const far = await startHelper<{ url: string; cid: string }>(
        'far-gateway.ts',
        [mebibytes, leaf, delay].map(String),
      )
      const egress = testEgress({ stallTimeout: 60_000, responseTimeout: 60_000 })
      try {
        const { url, cid } = far.message
        const registry = testRegistry(egress, { gateways: { ipfs: [url], filecoin: [], arweave: [] } })
        const files = {
          url: registry.file({ type: 'url', url: `${url}/plain`, method: 'GET' }),
          ipfs: registry.file({ type: 'ipfs', hash: cid }),
        }
        /** Reads a file to its end. */
        const read = async (kind: keyof typeof files): Promise<Reading> => {
          let [bytes, fetched] = [0, 0]
          const [begun, cpu] = [performance.now(), process.cpuUsage()]
          const { body } = await files[kind].open({
            method: 'GET',
            headers: {},
            signal: new AbortController().signal,
            budget: 'paid',
            fetched: (count) => {
              fetched += count
            },
          })
          // as the service takes it: an iterator would copy together what has come meanwhile
          body.on('data', (chunk: Buffer) => {
            bytes += chunk.length
          })
          await finished(body)
          if (bytes !== mebibytes * MEBIBYTE) throw new Error(`${kind}: ${bytes} bytes`)
          const { user, system } = process.cpuUsage(cpu)
          const seconds = (performance.now() - begun) / 1000
          return { rate: mebibytes / seconds, cost: fetched / bytes, cpu: ((user + system) / 1e6 / mebibytes) * 1024 }
        }
        const samples: { plain: Reading; car: Reading }[] = []
        for (const kind of ['url', 'ipfs'] as const) await read(kind)
        for (let round = 0; round < (smoke ? 1 : 5); round++) {
          samples.push({ plain: await read('url'), car: await read('ipfs') })
        }
        const ratios = samples.map(({ plain, car }) => car.rate / plain.rate)
        rows.push({
          'delay ms': delay,
          MiB: mebibytes,
          'leaves KiB': leaf,
          'url MiB/s': Math.round(median(samples.map(({ plain }) => plain.rate))),
          'ipfs MiB/s': Math.round(median(samples.map(({ car }) => car.rate))),
          'ipfs in % of url': Math.round(median(ratios) * 100),
          spread: spread(ratios),
          'url CPU s/GiB': rounded(median(samples.map(({ plain }) => plain.cpu))),
          'ipfs CPU s/GiB': rounded(median(samples.map(({ car }) => car.cpu))),
          'bytes fetched per byte': rounded(median(samples.map(({ car }) => car.cost))),
        })
      } finally {
        await egress.close()
        await far.stop()
      }
    }
  report('ipfs', 'Files on IPFS from a distant gateway, against a plain file at the same distance', rows, options)
}
