import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../test/helpers/backends.js'
import { eventually } from '../test/helpers/eventually.js'
import type { Benchmark } from './lib/benchmark.js'
import { cpuSeconds, resident, send } from './lib/processes.js'
import { median, type Row, report, rounded, spread } from './lib/report.js'
import { downloadQuery, portOf, raw, Stage, signedToken } from './lib/stage.js'

const MEBIBYTE = 1_048_576

/** Throughput, CPU and time to the first byte of large files, against a plain Node proxy and nginx where there is one. */
export const streaming: Benchmark = async ({ smoke }) => {
  // files of 1 GiB; of 64 streams each is smaller, so that a round moves 4 GiB
  const sizes = (
    smoke
      ? [[2, 8]]
      : [
          [1, 1024],
          [8, 512],
          [64, 64],
        ]
  ) as [number, number][]
  const rounds = smoke ? 1 : 3
  const stage = await Stage.start()
  const nginx = await startNginx(stage.storage.said.url)
  const rows: Row[] = []
  try {
    for (const [count, mebibytes] of sizes) {
      const size = mebibytes * MEBIBYTE
      const asset = await stage.publish(size)
      const [consumer] = await stage.consumers(asset, 1)
      if (!consumer) throw new Error('Nobody has ordered.')
      const answer = await fetch(`${stage.service.url}/api/services/createAuthToken?${signedToken(consumer)}`)
      const { token } = (await answer.json()) as { token: string }
      const query = new URLSearchParams(downloadQuery(asset, consumer))
      const ways = [
        {
          name: 'tidegate',
          port: portOf(stage.service.url),
          pid: stage.service.process.pid as number,
          request: raw('GET', `/api/services/download?${query}`, { authtoken: token }),
        },
        {
          name: 'node proxy',
          port: portOf(stage.baseline.said.proxy),
          pid: stage.baseline.process.pid as number,
          request: raw('GET', `/${size}`),
        },
        ...(nginx ? [{ name: 'nginx', port: nginx.port, pid: nginx.pid, request: raw('GET', `/${size}`) }] : []),
      ]
      const amount = Math.max(count, smoke ? 2 : 4)
      const seen = new Map(
        ways.map(({ name }) => [
          name,
          { rates: [] as number[], cpu: [] as number[], first: [] as number[], memory: 0 },
        ]),
      )
      for (let round = 0; round < rounds; round++)
        for (const { name, port, pid, request } of ways) {
          const before = cpuSeconds(pid)
          const watch = setInterval(() => {
            const of = seen.get(name)
            if (of) of.memory = Math.max(of.memory, resident(pid))
          }, 50)
          const requests = Array.from({ length: count }, () => [request])
          const result = await send({ host: '127.0.0.1', port, requests, amount })
          clearInterval(watch)
          const of = seen.get(name)
          of?.rates.push(result.bytes / MEBIBYTE / result.seconds)
          of?.cpu.push(((cpuSeconds(pid) - before) / result.bytes) * 1024 * MEBIBYTE)
          of?.first.push(median(result.firstBytes))
        }
      const own = seen.get('tidegate')
      for (const { name } of ways) {
        const { rates, cpu, first, memory } = seen.get(name) as NonNullable<typeof own>
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
  const title = `Streaming large files${nginx ? '' : ' (nginx is not installed: without it)'}`
  report('streaming', title, rows)
}

/** nginx with `proxy_pass` before the storage, where it is installed. */
async function startNginx(upstream: string) {
  if (spawnSync('nginx', ['-v']).status !== 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  const port = await freePort()
  for (const name of ['logs', 'temp']) mkdirSync(join(folder, name))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/temp/${name};`)
    .join(' ')
  const conf = `
    daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/logs/error.log;
    events { worker_connections 1024; }
    http {
      access_log off; ${temporary}
      upstream storage { server ${new URL(upstream).host}; keepalive 64; }
      server {
        listen 127.0.0.1:${port};
        location / { proxy_pass http://storage; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_max_temp_file_size 0; }
      }
    }`
  writeFileSync(join(folder, 'nginx.conf'), conf)
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
  await eventually(async () => (await fetch(`http://127.0.0.1:${port}/1`).catch(() => undefined))?.status === 200)
  const workers = spawnSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' }).stdout.trim()
  return {
    port,
    pid: Number(workers.split('\n')[0]),
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGQUIT')
      await gone
      rmSync(folder, { recursive: true })
    },
  }
}
