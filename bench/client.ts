import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createContext } from '@tidegate/client'
import { downloadToFile } from '@tidegate/client/node'
import type { Benchmark } from './lib/benchmark.js'
import { median, type Row, report, rounded, spread } from './lib/report.js'
import { downloadQuery, Stage } from './lib/stage.js'

const MEBIBYTE = 1_048_576
const run = promisify(execFile)

const WAYS = ['curl', 'curl, sha256sum, sync', 'downloadToFile'] as const

/**
 * Measures downloads of the client library to a file, digest and fsync included, against curl, from the same service and
 * to the same folder: by itself, and with the programs that promise the same of its file. CLIENT_BENCH_MIB sets the size.
 */
export const client: Benchmark = async (options) => {
  const mebibytes = Number(process.env.CLIENT_BENCH_MIB ?? (options.smoke ? 8 : 1024))
  const rounds = options.smoke ? 1 : 5
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-client-bench-'))
  const stage = await Stage.start(options)
  try {
    const { url } = stage.service
    const asset = await stage.publish(mebibytes * MEBIBYTE)
    const [consumer] = await stage.consumers(asset, 1)
    if (!consumer) throw new Error('There is no order.')
    const token = await stage.tokenOf(consumer)
    const query = downloadQuery(asset, consumer)
    const path = join(folder, 'file')
    const named = { service: query.serviceId as string, order: consumer.txId as `0x${string}` }
    const source = `${url}/api/services/download?${new URLSearchParams(query)}`
    const curl = () => run('curl', ['-sf', '-H', `AuthToken: ${token}`, '-o', path, source])
    const ways: Record<(typeof WAYS)[number], () => Promise<unknown>> = {
      curl,
      'curl, sha256sum, sync': async () => {
        await curl()
        await run('sha256sum', [path])
        await run('sync', [path])
      },
      downloadToFile: () => downloadToFile(createContext({ url, token }), asset.did, path, named),
    }
    const rates = WAYS.map((): number[] => [])
    for (let round = 0; round < rounds; round++)
      for (const [at, way] of WAYS.entries()) {
        rmSync(path, { force: true })
        const begun = performance.now()
        await ways[way]()
        rates[at]?.push((mebibytes / (performance.now() - begun)) * 1000)
      }
    const [bare = []] = rates
    const rows: Row[] = WAYS.map((way, at) => {
      const own = rates[at] as number[]
      const ratios = own.map((rate, round) => rate / (bare[round] as number))
      return {
        way,
        MiB: mebibytes,
        'MiB/s': Math.round(median(own)),
        'in % of curl': rounded(median(ratios) * 100),
        spread: at === 0 ? '' : spread(ratios),
      }
    })
    report('client', 'Downloads of the client library to a file', rows, options)
  } finally {
    await stage.close()
    rmSync(folder, { recursive: true })
  }
}
