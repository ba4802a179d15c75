import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../test/helpers/backends.js'
import { eventually } from '../../test/helpers/eventually.js'

/** A running nginx with one worker. */
export interface Nginx {
  port: number
  /** Process id of the worker. */
  pid: number
  stop(): Promise<void>
}

/** Starts nginx as a proxy of a storage, which serves `/1`; returns undefined if it is not installed. */
export function startNginx(upstream: string): Promise<Nginx | undefined> {
  return start(
    `upstream storage { server ${new URL(upstream).host}; keepalive 64; }`,
    'proxy_pass http://storage; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_max_temp_file_size 0;',
  )
}

/** Starts nginx on a folder of this user, which has a file `1`; returns undefined if it is not installed. */
export function startNginxOn(folder: string): Promise<Nginx | undefined> {
  return start('', `root ${folder}; sendfile on; tcp_nopush on;`)
}

async function start(beside: string, location: string): Promise<Nginx | undefined> {
  if (spawnSync('nginx', ['-v']).status !== 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  const port = await freePort()
  for (const name of ['logs', 'temp']) mkdirSync(join(folder, name))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/temp/${name};`)
    .join(' ')
  const conf = `
    daemon off; ${process.getuid?.() === 0 ? 'user root;' : ''} worker_processes 1; pid ${folder}/pid; error_log ${folder}/logs/error.log;
    events { worker_connections 40000; }
    http {
      access_log off; ${temporary}
      ${beside}
      server {
        listen 127.0.0.1:${port};
        location / { ${location} }
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
      const exited = once(child, 'exit')
      child.kill('SIGQUIT')
      await exited
      rmSync(folder, { recursive: true })
    },
  }
}
