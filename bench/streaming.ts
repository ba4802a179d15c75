import { cpuSeconds } from '../test/helpers/measures.js'
import type { Benchmark } from './lib/benchmark.js'
import { startNginx } from './lib/nginx.js'
import { resident, send } from './lib/processes.js'
import { median, type Row, report, rounded, spread } from './lib/report.js'
import { portOf, raw, Stage } from './lib/stage.js'

const MEBIBYTE = 1_048_576

/** Measures throughput, CPU and time to first byte of large files, against a plain Node proxy and, if installed, nginx. */
export const streaming: Benchmark = async (options) => {
  const { smoke, only } = options
  const streams = smoke ? [2] : [1, 8, 64].filter((count) => !only || only === String(count))
  const mebibytes = smoke ? 8 : Number(process.env.BENCH_MIB ?? 1024)
  const rounds = smoke ? 1 : 3
  const stage = await Stage.start(options)
  const nginx = await startNginx(stage.storage.message.url)
  const rows: Row[] = []
  try {
    for (const count of streams) {
      const size = mebibytes * MEBIBYTE
      const download = await stage.tokenDownload(size)
      const ways = [
        {
          name: 'tidegate',
          port: portOf(stage.service.url),
          pid: stage.service.process.pid as number,
          request: download,
        },
        {
          name: 'node proxy',
          port: portOf(stage.baseline.message.proxy),
          pid: stage.baseline.process.pid as number,
          request: raw('GET', `/${size}`),
        },
        ...(nginx ? [{ name: 'nginx', port: nginx.port, pid: nginx.pid, request: raw('GET', `/${size}`) }] : []),
      ]
      const amount = Math.max(count, smoke ? 2 : 4)
      const samples = new Map(
        ways.map(({ name }) => [
          name,
          { rates: [] as number[], cpu: [] as number[], first: [] as number[], memory: 0 },
        ]),
      )
      for (let round = 0; round < rounds; round++)
        for (const { name, port, pid, request } of ways) {
          const before = cpuSeconds(pid)
          const sampler = setInterval(() => {
            const sample = samples.get(name)
            if (sample) sample.memory = Math.max(sample.memory, resident(pid))
          }, 50)
          const requests = Array.from({ length: count }, () => [request])
          const result = await send({ host: '127.0.0.1', port, requests, amount })
          clearInterval(sampler)
          const sample = samples.get(name)
          sample?.rates.push(result.bytes / MEBIBYTE / result.seconds)
          sample?.cpu.push(((cpuSeconds(pid) - before) / result.bytes) * 1024 * MEBIBYTE)
          sample?.first.push(median(result.firstBytes))
        }
      const own = samples.get('tidegate')
      for (const { name } of ways) {
        const { rates, cpu, first, memory } = samples.get(name) as NonNullable<typeof own>
        const ratios = own?.rates.map((rate, at) => rate / (rates[at] as number)) ?? []
        rows.push({
          streams: count,
          'MiB each': mebibytes,
          way: name,
          'MiB/s': Math.round(median(rates)),
          'CPU s/GiB': rounded(median(cpu)),
          'first byte ms': rounded(median(first)),
          'peak MiB': Math.round(memory),
          'tidegate in % of it': Math.round(median(ratios) * 100),
          spread: spread(ratios),
        })
      }
    }
  } finally {
    await nginx?.stop()
    await stage.close()
  }
  const title = `Streaming large files${nginx ? '' : ' (without nginx, which is not installed)'}`
  report('streaming', title, rows, options)
}
