import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { run } from '../bench/lib/load.js'
import { startHelper } from '../bench/lib/processes.js'
import { prepared } from './helpers/prepared.js'
import { builtPrograms } from './helpers/programs.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const onLinux = process.platform === 'linux'
if (!onLinux)
  console.warn('SKIPPED: benchmarks. They read the memory and CPU of processes from /proc, which is Linux alone.')

/** The benchmarks and what they start beside themselves. */
const PROGRAMS = [
  'run',
  'synthetic-node',
  ...['baseline', 'far-gateway', 'file-server', 'load-worker', 'slow-worker', 'tus-server', 'upload-worker'].map(
    (one) => `lib/${one}`,
  ),
].map((name) => `bench/${name}.ts`)

let programs: string | undefined
beforeAll(async () => {
  programs = await builtPrograms('bench', PROGRAMS, { entryNames: '[name]' })
  vi.stubEnv('BENCH_PROGRAMS', programs)
})
afterAll(() => vi.unstubAllEnvs())

/** Measures no time, since the machine is shared. Runs each benchmark at a small size, and counts costs. */
it.runIf(onLinux)('benchmarks run, and no request exceeds its budget', { timeout: 900_000 }, async () => {
  const env = { ...process.env, BENCH_DIST: prepared('build', 'dist') }
  const { failed, output } = await new Promise<{ failed: boolean; output: string }>((resolve) => {
    const program = programs === undefined ? ['--import', 'tsx', 'bench/run.ts'] : [join(programs, 'run.mjs')]
    execFile(process.execPath, [...program, '--smoke'], { cwd: ROOT, env }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: stdout + stderr }),
    )
  })
  expect(failed, output).toBe(false)
  for (const title of [
    'Requests per second',
    'Calls to a node',
    'Streaming',
    'Many consumers that read 20 KB/s each',
    'What a request costs',
    'Start, memory',
    'Operations per second',
    'The index catches up',
    'The index reads blocks without assets',
    'The service follows a market',
    'What PostgreSQL does by itself',
    'Instances on one PostgreSQL',
    'Workers on one embedded database',
    'Searches over',
    'Downloads of the client library',
    'The console in Chromium',
    'Streaming hosted files',
    'Uploading to hosted files',
  ])
    expect(output).toContain(title)
})

it('the load generator says which server ended a connection, where, and what it had refused', async () => {
  const refusal = 'HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nbusy'
  let left = [refusal, 'HTTP/1.1 200 OK\r\n']
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => {
      const text = left.shift() as string
      if (left.length > 0) socket.write(text)
      else socket.end(text)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const load = { host: '127.0.0.1', port, requests: [['GET / HTTP/1.1\r\n\r\n']], amount: 3 }
  await expect(run(load)).rejects.toThrow(
    `The server at 127.0.0.1:${port} ended a connection (closed) after 17 bytes of the head of response 2. An earlier response was: ${refusal}`,
  )
  left = ['HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\npart']
  await expect(run(load)).rejects.toThrow('within the body of response 1.')
  server.close()
})

it('the storage of the benchmarks does not close idle connections, which the plain proxy would not survive', async () => {
  const storage = await startHelper<{ url: string }>('file-server.ts')
  try {
    const response = await fetch(`${storage.message.url}/5`)
    expect(await response.text()).toBe('tidet')
    // a server that closes them says when
    expect(response.headers.get('keep-alive')).toBeNull()
    expect(response.headers.get('connection')).toBe('keep-alive')
  } finally {
    await storage.stop()
  }
})
