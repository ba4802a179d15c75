import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { program } from '../helpers/command.js'
import { eventually } from '../helpers/eventually.js'
import { downloadParams } from '../helpers/requests.js'
import { RpcProxy } from '../helpers/rpc-proxy.js'
import { World } from '../helpers/world.js'

const STOP_TIMEOUT = 60_000
/** The longest random delay after a moment, in milliseconds, so that what follows it is covered as well. */
const AFTERWARDS = 150

/** A service that is stopped before it has fully started. */
describe('stopping the service while it starts', () => {
  let world: World
  let proxy: RpcProxy
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  let at = 0

  beforeAll(async () => {
    world = await World.start()
    proxy = await RpcProxy.before(world.network.rpcUrl)
  })
  afterAll(async () => {
    proxy.close()
    await world.close()
    rmSync(folder, { recursive: true })
  })

  function begin(workers: number, state = `state-${++at}`) {
    proxy.forget()
    const child = spawn(process.execPath, [...program(), 'start'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true, // a process group of its own, as a terminal and systemd make one
      env: {
        PATH: process.env.PATH,
        ...world.beside({
          NETWORK_URL: JSON.stringify({ [world.network.chainId]: proxy.url }),
          STATE_DIR: join(folder, state),
          WORKERS: `${workers}`,
          STOP_TIMEOUT: `${STOP_TIMEOUT}`,
          INDEX_POLL_INTERVAL: '500',
          LOG_LEVEL: 'info',
        }),
      },
    })
    const lines: string[] = []
    createInterface({ input: child.stderr as NonNullable<typeof child.stderr> }).on('line', (line) => lines.push(line))
    // not 'exit', when lines may still be on their way
    const exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
    return { child, lines, exited }
  }
  type Begun = ReturnType<typeof begin>

  const serving = ({ lines }: Begun) => lines.filter((line) => line.includes('worker ready')).length
  const listening = ({ lines }: Begun) => lines.some((line) => line.includes('listening at'))

  async function stopped({ child, exited, lines }: Begun, how: 'process' | 'group', signal: NodeJS.Signals) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * AFTERWARDS))
    const all = [child.pid as number, ...childrenOf(child)]
    const begun = Date.now()
    process.kill(how === 'group' ? -(child.pid as number) : (child.pid as number), signal)
    const ended = await exited
    expect({ ended, said: lines.filter((line) => line.startsWith('tidegate:')) }).toEqual({
      ended: [0, null],
      said: [],
    })
    expect(Date.now() - begun).toBeLessThan(STOP_TIMEOUT)
    expect(all.filter(alive)).toEqual([])
    expect(inGroup(child.pid as number)).toEqual([])
  }

  // the signal goes to one process of several, or to the whole group as terminals and systemd send it
  const moments: {
    when: string
    workers: number
    how: 'process' | 'group'
    signal?: NodeJS.Signals
    silent?: boolean
    reached: (begun: Begun) => boolean
  }[] = [
    { when: 'the first node request is sent', workers: 1, how: 'process', reached: () => proxy.posts > 0 },
    {
      when: 'the node does not answer',
      workers: 1,
      how: 'process',
      signal: 'SIGINT',
      silent: true,
      reached: () => proxy.posts > 0,
    },
    { when: 'it listens', workers: 1, how: 'process', reached: listening },
    {
      when: 'the first worker is starting',
      workers: 2,
      how: 'group',
      signal: 'SIGINT',
      reached: ({ child }) => childrenOf(child).length > 0,
    },
    {
      when: 'the first worker waits for the node',
      workers: 2,
      how: 'process',
      silent: true,
      reached: () => proxy.posts > 0,
    },
    {
      when: 'the first worker serves, and the second is starting',
      workers: 2,
      how: 'group',
      reached: ({ child }) => childrenOf(child).length === 2,
    },
  ]
  it.each(moments)('exits with 0 and leaves no process when $when (threat 67)', async (moment) => {
    const { workers, how, signal = 'SIGTERM', silent = false, reached } = moment
    proxy.silent = silent
    try {
      const begun = begin(workers)
      await eventually(() => reached(begun))
      await stopped(begun, how, signal)
    } finally {
      proxy.silent = false
    }
  })

  it.each([
    'process',
    'group',
  ] as const)('completes a transfer while another worker starts, when the %s is signalled (threat 67)', async (how) => {
    const content = Buffer.alloc(200_000, 'tide')
    let release = () => undefined as unknown
    const url = world.storage.on('/slow', (request, response) => {
      response.writeHead(200, { 'content-length': content.length })
      if (request.method === 'HEAD') return void response.end()
      response.write(content.subarray(0, 100_000))
      release = () => response.end(content.subarray(100_000))
    })
    const asset = await world.publishUrl(url)
    const buyer = await world.somebody()
    const txId = await world.order(asset, buyer)
    const begun = begin(2)
    await eventually(() => serving(begun) === 2)
    const origin = /listening at (http[^"\s]+)/.exec(begun.lines.join('\n'))?.[1] as string
    const known = async () => (await fetch(`${origin}/api/aquarius/assets/ddo/${asset.did}`)).status === 200
    await eventually(known)
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      void downloadParams(asset, txId, buyer).then((params) =>
        get(`${origin}/api/services/download?${params}`, resolve).on('error', reject),
      )
    })
    expect(response.statusCode).toBe(200)
    const body = read(response)
    // the worker without this download is replaced by one that cannot start, because its node is silent
    const [idle] = childrenOf(begun.child).filter((pid) => !connected(pid, response))
    proxy.silent = true
    try {
      process.kill(idle as number, 'SIGKILL')
      await eventually(() => !alive(idle as number) && childrenOf(begun.child).length === 2)
      const stopping = stopped(begun, how, 'SIGTERM')
      await eventually(async () =>
        // a connection that no worker accepts gets no response
        fetch(`${origin}/live`, { signal: AbortSignal.timeout(1000) }).then(
          ({ status }) => status !== 200,
          () => true,
        ),
      )
      release()
      expect((await body).equals(content)).toBe(true)
      await stopping
    } finally {
      proxy.silent = false
    }
  })

  it('exits with 0, and logs it, when a worker was killed before it received the signal (threat 67)', async () => {
    const begun = begin(2)
    await eventually(() => serving(begun) === 2)
    const [frozen] = childrenOf(begun.child)
    process.kill(frozen as number, 'SIGSTOP')
    begun.child.kill('SIGTERM')
    await eventually(() => childrenOf(begun.child).length === 1) // the other one has ended
    process.kill(frozen as number, 'SIGKILL')
    expect(await begun.exited).toEqual([0, null])
    expect(inGroup(begun.child.pid as number)).toEqual([])
    expect(begun.lines.filter((line) => line.includes('worker failed while stopping'))).toEqual([
      expect.stringContaining(`"pid":${frozen},"code":null,"signal":"SIGKILL"`),
    ])
  })

  it('exits with the code of the failure when no stop was requested (threat 67, control)', async () => {
    const { lie } = proxy
    proxy.lie = (method, truth) => (method === 'eth_chainId' ? '0x1' : truth)
    try {
      const { exited, lines } = begin(2)
      expect(await exited).toEqual([2, null])
      expect(lines.join('\n')).toMatch(/^tidegate: NETWORK_URL: the node at \S+ is on chain 1/m)
    } finally {
      proxy.lie = lie
    }
  })
})

async function read(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The running child processes of a process. */
function childrenOf({ pid }: ChildProcess): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** The processes of a process group. */
function inGroup(group: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => stat(pid)[2] === String(group) && stat(pid)[0] !== 'Z')
}

/** The fields of /proc/PID/stat, starting with the state. */
function stat(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
  } catch {
    return []
  }
}

function alive(pid: number): boolean {
  return stat(pid).length > 0 && stat(pid)[0] !== 'Z'
}

/** Whether a process has the other end of a connection of this process. */
function connected(pid: number, { socket }: IncomingMessage): boolean {
  const port = (socket.localPort as number).toString(16).toUpperCase().padStart(4, '0')
  const inodes = readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[2]?.endsWith(`:${port}`))
    .map((columns) => columns[9])
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
  return inodes.some((inode) => open.includes(`socket:[${inode}]`))
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return '' // closed meanwhile
  }
}
