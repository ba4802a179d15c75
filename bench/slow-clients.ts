import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../test/helpers/eventually.js'
import { cpuSeconds } from '../test/helpers/measures.js'
import type { Benchmark } from './lib/benchmark.js'
import { run } from './lib/load.js'
import { startNginx } from './lib/nginx.js'
import { resident, startConsumers } from './lib/processes.js'
import { type Row, report, rounded } from './lib/report.js'
import { portOf, raw, Stage } from './lib/stage.js'

/** Bytes of the file: more than socket buffers hold and consumers read, so that back-pressure reaches the storage. */
const SIZE = 64 * 1_048_576
/** Bytes per second and consumer. */
const RATE = 20_000

/**
 * Measures memory, CPU and the first byte of new requests with many consumers that read 20 KB/s, compared with a plain Node
 * proxy and nginx. BENCH_CLIENTS sets their number; a service needs two descriptors for each. Kernel memory is realistic only
 * with the MTU of a network: `unshare -n sh -c 'ip link set lo up mtu 1500 && npm run bench -- slow'`.
 */
export const slow: Benchmark = async (options) => {
  const count = options.smoke ? 20 : Math.min(Number(process.env.BENCH_CLIENTS ?? 10_000), mostClients())
  const seconds = options.smoke ? 1 : 30
  // a smoke run needs no more than the defaults, with which other benchmarks run already
  const many: Record<string, string> = options.smoke
    ? {}
    : {
        STORAGE_MAX_PER_HOST: '20000',
        STORAGE_MAX_REQUESTS: '20000',
        MAX_CONNECTIONS: '20000',
        MAX_DOWNLOADS: '20000',
        MAX_DOWNLOADS_PER_ADDRESS: '0',
      }
  const stage = await Stage.start(options, many)
  const nginx = await startNginx(stage.storage.message.url)
  const rows: Row[] = []
  try {
    const own = await stage.tokenDownload(SIZE)
    const plain = raw('GET', `/${SIZE}`)
    const small = await stage.tokenDownload(1024)
    const plainSmall = raw('GET', '/1024')
    const { service, baseline } = stage
    const proxy = { port: portOf(baseline.message.proxy), pid: baseline.process.pid as number }
    const ways = [
      { way: 'tidegate', port: portOf(service.url), pid: service.process.pid as number, request: own, small },
      { way: 'node proxy', ...proxy, request: plain, small: plainSmall },
      ...(nginx ? [{ way: 'nginx', port: nginx.port, pid: nginx.pid, request: plain, small: plainSmall }] : []),
    ].filter(({ way }) => !options.only || way === options.only)
    for (const { way, port, pid, request, small } of ways) {
      const before = await settled(() => resident(pid))
      const kernel = kernelMemory()
      const consumers = await startConsumers({ port, request, count, rate: RATE })
      const peak = resident(pid)
      // a new consumer first fills the buffers of two connections as fast as it can: 430 KB, of which it reads 20 a second
      if (!options.smoke) await settled(kernelMemory, 20)
      const begun = { ...(await consumers.report()), cpu: cpuSeconds(pid), at: performance.now() }
      const probes = await probed(port, small, seconds)
      const ended = await consumers.report()
      const elapsed = (performance.now() - begun.at) / 1000
      const during = resident(pid)
      rows.push({
        way,
        clients: count,
        broken: ended.broken,
        'MiB before': rounded(before, 0),
        'MiB at their start': rounded(peak, 0),
        'MiB with them': rounded(during, 0),
        'KiB each': rounded(((during - before) * 1024) / count, 0),
        'MiB in sockets': rounded(kernelMemory() - kernel, 0),
        'KB/s each': rounded((ended.bytes - begun.bytes) / elapsed / count / 1000),
        'CPU of a core': rounded((cpuSeconds(pid) - begun.cpu) / elapsed, 2),
        'first byte ms p50': rounded(probes[Math.floor(probes.length / 2)] as number),
        p99: rounded(probes[Math.floor(probes.length * 0.99)] as number),
      })
      await consumers.stop()
    }
  } finally {
    await nginx?.stop()
    await stage.close()
  }
  report('slow', 'Many consumers that read 20 KB/s each', rows, options)
}

/** Sends small requests, ten per second over new connections. Returns the sorted milliseconds to their first bytes. */
async function probed(port: number, request: string, seconds: number): Promise<number[]> {
  const probes: Promise<number>[] = []
  for (let at = 0; at < seconds * 10; at++) {
    const result = run({ host: '127.0.0.1', port, requests: [[request]], amount: 1 })
    probes.push(result.then(({ firstBytes }) => firstBytes[0] as number))
    await delay(100)
  }
  return (await Promise.all(probes)).sort((a, b) => a - b)
}

/** Returns the clients that the limit on descriptors allows: a service has two connections for each. */
function mostClients(): number {
  const limit = Number(/Max open files +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
  return Math.floor(limit / 2) - 100
}

/** Returns the MiB of all TCP socket buffers of the machine. */
function kernelMemory(): number {
  return Number(/^TCP: .* mem (\d+)/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1]) / 256
}

/** Returns a measure once it is stable: less than 1 % change in half a second, `times` in succession. */
async function settled(measure: () => number, times = 1): Promise<number> {
  let [last, stable] = [0, 0]
  await eventually(
    () => {
      const now = measure()
      stable = Math.abs(now - last) < now / 100 ? stable + 1 : 0
      last = now
      return stable >= times
    },
    60_000,
    500,
  )
  return last
}
