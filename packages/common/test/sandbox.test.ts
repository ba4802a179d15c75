import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../test/helpers/eventually.js'
import { SandboxError } from '../../protocol/src/errors.js'
import { COMMON_LIMITS } from '../src/limits.js'
import { SandboxCrash, SandboxExhausted, SandboxTimeout } from '../src/sandbox/failures.js'
import { Sandbox, type SandboxOptions } from '../src/sandbox/sandbox.js'

type Fixture = {
  echo: (value: unknown) => unknown
  thread: (nothing?: undefined) => number
  heap: (nothing?: undefined) => number
  environment: (nothing?: undefined) => Record<string, string>
  wait: (milliseconds: number) => void
  released: (memory: SharedArrayBuffer) => void
} & Record<
  'endless' | 'greedy' | 'recursive' | 'throwing' | 'exiting' | 'dying' | 'uncopyable' | 'starved',
  (nothing?: undefined) => unknown
>

const FOR_EVER = 600_000

describe('sandbox', () => {
  const open: Sandbox<Fixture>[] = []
  const lost: string[] = []
  afterEach(async () => {
    for (const sandbox of open.splice(0)) {
      await sandbox.close()
      expect(sandbox.threads).toBe(0)
    }
    lost.splice(0)
  })

  function sandboxOf(options: Partial<SandboxOptions> = {}, module = './tasks.mjs'): Sandbox<Fixture> {
    const entry = new URL(module, import.meta.url)
    const sandbox = new Sandbox<Fixture>({ entry, onCrash: (code) => lost.push(code), ...options })
    open.push(sandbox)
    return sandbox
  }

  it('starts threads with the first task, and ends them when idle', async () => {
    const sandbox = sandboxOf({ idleTimeout: 50 })
    expect(sandbox.threads).toBe(0)
    expect(await sandbox.run('echo', { bytes: Uint8Array.of(1, 2) })).toEqual({ bytes: Uint8Array.of(1, 2) })
    expect(sandbox.threads).toBe(1)
    await eventually(() => sandbox.threads === 0)
    expect(await sandbox.run('echo', 'again')).toBe('again')
  })

  it('reuses threads, up to their maximum number', async () => {
    const sandbox = sandboxOf({ threads: 2 })
    const first = await sandbox.run('thread', undefined)
    expect(await sandbox.run('thread', undefined)).toBe(first)
    await Promise.all(Array.from({ length: 20 }, () => sandbox.run('wait', 5)))
    expect(sandbox.threads).toBe(2)
  })

  it('terminates a task at its deadline, and runs the next', async () => {
    const sandbox = sandboxOf({ threads: 1 })
    const first = await sandbox.run('thread', undefined)
    await expect(sandbox.run('endless', undefined, { deadline: 300 })).rejects.toThrow(SandboxTimeout)
    await expect(sandbox.run('wait', FOR_EVER, { deadline: 300 })).rejects.toThrow(SandboxTimeout)
    expect(await sandbox.run('thread', undefined)).not.toBe(first)
    await eventually(() => sandbox.threads === 1)
  })

  it('does not count the time in the queue towards the deadline', async () => {
    const sandbox = sandboxOf({ threads: 1 })
    await sandbox.run('echo', 'warm')
    const before = sandbox.run('wait', 4500, { deadline: FOR_EVER })
    expect(await sandbox.run('echo', 'next', { deadline: 4000 })).toBe('next')
    await before
  })

  it('terminates a task that needs too much memory, without affecting the process', async () => {
    const sandbox = sandboxOf({ memory: 32 })
    await expect(sandbox.run('greedy', undefined)).rejects.toThrow(SandboxExhausted)
    expect(await sandbox.run('echo', 'alive')).toBe('alive')
  })

  it('limits the memory of a thread whatever heap the process was given (threat 132)', async () => {
    const { memory, youngGeneration } = COMMON_LIMITS.sandbox
    for (const flag of ['max-old-space-size=2000', 'max-semi-space-size=64', 'max-heap-size=3000']) {
      setFlagsFromString(`--${flag}`)
      // V8 rounds up
      expect(await sandboxOf().run('heap', undefined), flag).toBeLessThan(memory + 2 * youngGeneration)
    }
  })

  it.each([
    'throwing',
    'recursive',
    'exiting',
    'dying',
    'uncopyable',
  ] as const)('survives a task that is %s, and says nothing of what it said', async (task) => {
    const sandbox = sandboxOf()
    const error = await sandbox.run(task, undefined).catch((reason: Error) => reason)
    expect(error).toBeInstanceOf(SandboxCrash)
    expect((error as Error).message).toBe('cannot be read')
    expect(await sandbox.run('echo', 'alive')).toBe('alive')
    expect(lost).toHaveLength(1)
    expect(lost.join()).not.toContain('hunter2')
  })

  it('aborts a running or queued task when its signal fires, with the reason of the signal', async () => {
    const sandbox = sandboxOf({ threads: 1 })
    const [atWork, waiting] = [new AbortController(), new AbortController()]
    const ended = [
      sandbox.run('endless', undefined, { signal: atWork.signal, deadline: FOR_EVER }),
      sandbox.run('echo', 'never', { signal: waiting.signal }),
    ].map((run) => run.catch((reason: unknown) => reason))
    await eventually(() => sandbox.threads === 1)
    waiting.abort('gone')
    expect(await ended[1]).toBe('gone')
    atWork.abort('left')
    expect(await ended[0]).toBe('left')
    await expect(sandbox.run('echo', 1, { signal: AbortSignal.abort('before') })).rejects.toBe('before')
    expect(await sandbox.run('echo', 'next')).toBe('next')
  })

  it('rejects tasks when its queue is full, but never those with priority', async () => {
    const sandbox = sandboxOf({ threads: 1, queue: 2 })
    const order: string[] = []
    const run = (name: string, first = false) =>
      sandbox.run('wait', 20, { priority: first }).then(() => order.push(name))
    const runs = [run('a'), run('b'), run('c'), run('index', true)]
    await expect(run('d')).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE', kind: 'unavailable' })
    await Promise.all(runs)
    expect(order).toEqual(['a', 'index', 'b', 'c'])
  })

  it('rejects tasks after it was closed, and ends running and queued ones', async () => {
    const sandbox = sandboxOf({ threads: 1 })
    await sandbox.run('echo', 'warm')
    const ended = [
      sandbox.run('endless', undefined, { deadline: FOR_EVER }),
      sandbox.run('wait', FOR_EVER, { deadline: FOR_EVER }),
    ].map((run) => run.catch((reason: unknown) => reason))
    await sandbox.close()
    expect(sandbox.threads).toBe(0)
    for (const run of ended) expect(await run).toBeInstanceOf(SandboxError)
    await expect(sandbox.run('echo', 'late')).rejects.toThrow(SandboxError)
  })

  it.each([
    './broken.mjs',
    './nowhere.mjs',
  ])('distinguishes threads that cannot start from failing tasks (%s)', async (module) => {
    const sandbox = sandboxOf({}, module)
    const runs = Array.from({ length: 3 }, () => sandbox.run('echo', 1).catch((reason: unknown) => reason))
    for (const error of await Promise.all(runs)) {
      expect(error).toBeInstanceOf(SandboxError)
      expect((error as Error).message).not.toContain('hunter2')
    }
    expect(lost.length).toBeGreaterThan(0)
  })

  it('can be closed while the failure of a thread is on its way', async () => {
    const sandbox = sandboxOf({}, './broken.mjs')
    const run = sandbox.run('echo', 1).catch((reason: unknown) => reason)
    await eventually(() => sandbox.threads > 0)
    // the thread fails meanwhile, and what it tells of that waits until this one looks
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
    await sandbox.close()
    expect(await run).toBeInstanceOf(SandboxError)
    // an error in a listener would end the process
    await eventually(() => sandbox.threads === 0)
  })

  it('does not blame a task for which a module could not be loaded', async () => {
    const error = await sandboxOf()
      .run('starved', undefined)
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SandboxError)
    expect((error as Error).message).not.toContain('hunter2')
  })

  it('gives threads no environment, which may contain keys of the operator (threat 38)', async () => {
    expect(await sandboxOf().run('environment', undefined)).toEqual({})
  })

  it('gives no task to a thread whose answer comes while it is being ended (threat 95)', async () => {
    const sandbox = sandboxOf()
    await sandbox.run('echo', 'warm')
    for (let round = 0; round < 5; round++) {
      const controller = new AbortController()
      const memory = new SharedArrayBuffer(4)
      const ended = sandbox.run('released', memory, { signal: controller.signal }).catch((reason: unknown) => reason)
      // waits for a thread that has yet to start
      const next = sandbox.run('echo', round)
      await turn()
      // the answer of the first arrives meanwhile, and is not read
      Atomics.store(new Int32Array(memory), 0, 1)
      Atomics.notify(new Int32Array(memory), 0)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 40)
      controller.abort('over')
      expect(await ended).toBe('over')
      expect(await next).toBe(round)
    }
    expect(lost).toEqual([])
  })
})
