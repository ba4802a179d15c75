import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { providerKey } from '../packages/protocol/src/crypto/keys.js'
import { cpuSeconds } from '../test/helpers/measures.js'
import type { Benchmark, Options } from './lib/benchmark.js'
import { startNginxOn } from './lib/nginx.js'
import { resident, send, startHelper, uploaded } from './lib/processes.js'
import { median, type Row, report, rounded, spread } from './lib/report.js'
import { portOf, Stage } from './lib/stage.js'

const MEBIBYTE = 1_048_576
const PATH = '/api/services/uploads'

/** What a way of doing the same has reached, round by round. */
interface Samples {
  rates: number[]
  cpu: number[]
  memory: number
}

/**
 * Measures hosted files: streaming one against the kind `url` that reads the same bytes from nginx on the same disk, and
 * uploading one against a bare tus server with its file store, and against one that makes a digest and syncs as well.
 * HOSTING_BENCH_MIB sets the size.
 */
export const hosting: Benchmark = async (options) => {
  const mebibytes = Number(process.env.HOSTING_BENCH_MIB ?? (options.smoke ? 8 : 1024))
  const only = options.only ?? ''
  const folder = join(process.env.TMPDIR ?? '/tmp', `tidegate-bench-${process.pid}-${Date.now()}`)
  mkdirSync(folder)
  const stage = await Stage.start(options, {
    ...{ HOSTING: 'local', HOSTING_PUBLISHERS: '*', HOSTING_DIR: join(folder, 'files') },
  })
  try {
    const authtoken = await stage.tokenOf({ key: providerKey('1'.padStart(64, '0')) })
    const run = { stage, folder, bytes: mebibytes * MEBIBYTE, headers: { authtoken }, options }
    if ('upload'.includes(only)) await uploading(run)
    if ('streaming'.includes(only)) await streaming(run)
  } finally {
    await stage.close()
    rmSync(folder, { recursive: true })
  }
}

interface Run {
  stage: Stage
  folder: string
  bytes: number
  headers: Record<string, string>
  options: Options
}

/** One request, as tus-js-client sends by default, and parts of 8 MiB with checksums, as `@tidegate/client` does. */
async function uploading({ stage, folder, bytes, headers, options }: Run): Promise<void> {
  const directory = join(folder, 'bare')
  mkdirSync(directory)
  const bare = await startHelper<{ url: string }>('tus-server.ts', [directory])
  const durable = await startHelper<{ url: string }>('tus-server.ts', [directory, 'durable'])
  const rows: Row[] = []
  try {
    for (const { client, part, checksums } of [
      { client: 'one request', part: bytes, checksums: false },
      { client: 'parts of 8 MiB with checksums', part: 8 * MEBIBYTE, checksums: true },
    ]) {
      const ways = [
        { way: 'tidegate', url: stage.service.url, pid: stage.service.process.pid as number },
        { way: 'bare tus server', url: bare.message.url, pid: bare.process.pid as number },
        { way: 'with digest and sync', url: durable.message.url, pid: durable.process.pid as number },
      ]
      const samples = await inTurns(options, ways, async ({ url }) => {
        const file = await uploaded({ url: url + PATH, headers, bytes, part, checksums })
        await removed(file.url, headers)
        return { bytes, seconds: file.seconds }
      })
      rows.push(...rowsOf({ client, MiB: bytes / MEBIBYTE }, samples, 'tidegate'))
    }
  } finally {
    await Promise.all([bare.stop(), durable.stop()])
  }
  report('hosting-upload', 'Uploading to hosted files', rows, options)
}

async function streaming({ stage, folder, bytes, headers, options }: Run): Promise<void> {
  const { url } = await uploaded({ url: stage.service.url + PATH, headers, bytes, part: bytes, checksums: false })
  const shown = await fetch(url, { headers })
  const { object, id } = (await shown.json()) as { object: object; id: string }
  const root = join(folder, 'files', id.slice(0, 2))
  writeFileSync(join(root, '1'), '.')
  const nginx = await startNginxOn(root)
  if (!nginx) return void process.stdout.write('\nStreaming hosted files: left out, as nginx is not installed.\n')
  const rows: Row[] = []
  try {
    const port = portOf(stage.service.url)
    const pid = stage.service.process.pid as number
    const plain = { type: 'url', url: `http://127.0.0.1:${nginx.port}/${id}`, method: 'GET' }
    const ways = [
      { way: 'hosted', port, pid, request: await stage.downloadOf(await stage.publishFile(object)) },
      { way: 'url, from nginx', port, pid, request: await stage.downloadOf(await stage.publishFile(plain)) },
    ]
    for (const count of options.smoke ? [2] : [1, 8]) {
      const amount = Math.max(count, options.smoke ? 2 : 4)
      const samples = await inTurns(options, ways, async ({ port, request }) => {
        const requests = Array.from({ length: count }, () => [request])
        const { bytes: received, seconds } = await send({ host: '127.0.0.1', port, requests, amount })
        return { bytes: received, seconds }
      })
      rows.push(...rowsOf({ streams: count, 'MiB each': bytes / MEBIBYTE }, samples, 'hosted'))
    }
  } finally {
    await nginx.stop()
  }
  report('hosting-streaming', 'Streaming hosted files', rows, options)
}

/** Does something in each way in turn, and measures the process of the service. */
async function inTurns<T extends { way: string; pid: number }>(
  { smoke }: Options,
  ways: T[],
  work: (way: T) => Promise<{ bytes: number; seconds: number }>,
): Promise<Map<string, Samples>> {
  const samples = new Map(ways.map(({ way }) => [way, { rates: [], cpu: [], memory: 0 } as Samples]))
  for (let round = 0; round < (smoke ? 1 : 5); round++)
    for (const way of ways) {
      const sample = samples.get(way.way) as Samples
      const before = cpuSeconds(way.pid)
      const sampler = setInterval(() => {
        sample.memory = Math.max(sample.memory, resident(way.pid))
      }, 50)
      const { bytes, seconds } = await work(way)
      clearInterval(sampler)
      sample.rates.push(bytes / MEBIBYTE / seconds)
      sample.cpu.push(((cpuSeconds(way.pid) - before) / bytes) * 1024 * MEBIBYTE)
    }
  return samples
}

function rowsOf(about: Row, samples: Map<string, Samples>, own: string): Row[] {
  const ours = samples.get(own) as Samples
  return [...samples].map(([way, { rates, cpu, memory }]) => {
    const ratios = ours.rates.map((rate, at) => rate / (rates[at] as number))
    return {
      ...about,
      way,
      'MiB/s': Math.round(median(rates)),
      'CPU s/GiB': rounded(median(cpu)),
      'peak MiB': Math.round(memory),
      [`${own} in % of it`]: Math.round(median(ratios) * 100),
      spread: spread(ratios),
    }
  })
}

async function removed(url: string, headers: Record<string, string>): Promise<void> {
  const { status } = await fetch(url, { method: 'DELETE', headers: { ...headers, 'tus-resumable': '1.0.0' } })
  if (status !== 204) throw new Error(`DELETE was answered ${status}.`)
}
