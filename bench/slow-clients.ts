import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { eventually } from '../test/helpers/eventually.js'
import type { Benchmark } from './lib/benchmark.js'
import { startNginx } from './lib/nginx.js'
import { resident } from './lib/processes.js'
import { type Row, report, rounded } from './lib/report.js'
import { portOf, raw, Stage } from './lib/stage.js'

/** Bytes of the file: more than socket buffers hold, so that back-pressure reaches the storage. */
const SIZE = 8 * 1_048_576

/** Measures memory with many stalled downloads, compared with a plain Node proxy and nginx. */
export const slow: Benchmark = async (options) => {
  const count = options.smoke ? 20 : 1000
  // a smoke run needs no more than the defaults, with which other benchmarks run already
  const many: Record<string, string> = options.smoke
    ? {}
    : { STORAGE_MAX_PER_HOST: '4096', MAX_DOWNLOADS_PER_ADDRESS: '0' }
  const stage = await Stage.start(options, many)
  const nginx = await startNginx(stage.storage.message.url)
  const rows: Row[] = []
  try {
    const own = await stage.tokenDownload(SIZE)
    const plain = raw('GET', `/${SIZE}`)
    const { service, baseline } = stage
    const ways = [
      { way: 'tidegate', port: portOf(service.url), pid: service.process.pid as number, request: own },
      { way: 'node proxy', port: portOf(baseline.message.proxy), pid: baseline.process.pid as number, request: plain },
      ...(nginx ? [{ way: 'nginx', port: nginx.port, pid: nginx.pid, request: plain }] : []),
    ]
    for (const { way, port, pid, request } of ways) {
      const before = await settled(pid)
      const sockets: Socket[] = []
      while (sockets.length < count)
        sockets.push(...(await Promise.all(Array.from({ length: 20 }, () => stalledDownload(port, request)))))
      const during = await settled(pid)
      for (const socket of sockets) socket.destroy()
      const each = rounded(((during - before) * 1024) / sockets.length, 0)
      rows.push({
        way,
        clients: sockets.length,
        'MiB before': rounded(before, 0),
        'MiB with them': rounded(during, 0),
        'KiB each': each,
      })
    }
  } finally {
    await nginx?.stop()
    await stage.close()
  }
  report('slow', 'Memory with clients that do not read their downloads', rows, options)
}

/** Starts a download, and stops reading after its first bytes. */
async function stalledDownload(port: number, request: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1', () => socket.write(request))
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  const head = chunk.toString('latin1', 0, 12)
  if (head !== 'HTTP/1.1 200') throw new Error(`The response was ${head}.`)
  return socket
}

/** Returns the resident memory in MiB once it is stable: less than 1 % change in half a second. */
async function settled(pid: number): Promise<number> {
  let last = 0
  await eventually(
    () => {
      const now = resident(pid)
      const isStable = Math.abs(now - last) < now / 100
      last = now
      return isStable
    },
    60_000,
    500,
  )
  return last
}
