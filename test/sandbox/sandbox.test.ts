import { afterEach, describe, expect, it } from 'vitest'
import { SandboxError } from '../../src/errors.js'
import { SandboxCrash, SandboxExhausted, SandboxTimeout } from '../../src/sandbox/failures.js'
import { Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.js'
import { eventually } from '../helpers/eventually.js'

type Fixture = {
  echo: (value: unknown) => unknown
  thread: (nothing?: undefined) => number
  environment: (nothing?: undefined) => Record<string, string>
  wait: (milliseconds: number) => void
} & Record<
  'endless' | 'greedy' | 'recursive' | 'throwing' | 'exiting' | 'dying' | 'uncopyable',
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

  function sandboxOf(options: SandboxOptions = {}, module = './tasks.mjs'): Sandbox<Fixture> {
    const entry = new URL(module, import.meta.url)
    const sandbox = new Sandbox<Fixture>({ entry, onLost: (code) => lost.push(code), ...options })
    open.push(sandbox)
    return sandbox
  }

  it('has no thread before its first task, and none some time after its last', async () => {
    const sandbox = sandboxOf({ idle: 50 })
    expect(sandbox.threads).toBe(0)
    expect(await sandbox.run('echo', { bytes: Uint8Array.of(1, 2) })).toEqual({ bytes: Uint8Array.of(1, 2) })
    expect(sandbox.threads).toBe(1)
    await eventually(() => sandbox.threads === 0)
    expect(await sandbox.run('echo', 'again')).toBe('again')
  })

  it('uses a thread again, and never more of them than it may', async () => {
    const sandbox = sandboxOf({ threads: 2 })
    const first = await sandbox.run('thread', undefined)
    expect(await sandbox.run('thread', undefined)).toBe(first)
    await Promise.all(Array.from({ length: 20 }, () => sandbox.run('wait', 5)))
    expect(sandbox.threads).toBe(2)
  })

  it('ends a task that takes too long, and goes on with the next', async () => {
    const sandbox = sandboxOf({ threads: 1 })
    const first = await sandbox.run('thread', undefined)
    await expect(sandbox.run('endless', undefined, { deadline: 300 })).rejects.toThrow(SandboxTimeout)
    await expect(sandbox.run('wait', FOR_EVER, { deadline: 300 })).rejects.toThrow(SandboxTimeout)
    expect(await sandbox.run('thread', undefined)).not.toBe(first)
    await eventually(() => sandbox.threads === 1)
  })

  it('counts no waiting as the time of a task', async () => {
    const sandbox = sandboxOf({ threads: 1 })
    await sandbox.run('echo', 'warm')
    const answers = await Promise.all(
      Array.from({ length: 5 }, async (_, at) => {
        await sandbox.run('wait', 400, { deadline: 1500 })
        return at
      }),
    )
    expect(answers).toEqual([0, 1, 2, 3, 4])
  })

  it('ends a task that needs too much memory, and the process lives', async () => {
    const sandbox = sandboxOf({ memory: 32 })
    await expect(sandbox.run('greedy', undefined)).rejects.toThrow(SandboxExhausted)
    expect(await sandbox.run('echo', 'alive')).toBe('alive')
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

  it('ends a task whose signal fires, at work or waiting, with the reason of the signal', async () => {
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

  it('turns away whom it has no place for, but nobody who goes first', async () => {
    const sandbox = sandboxOf({ threads: 1, queue: 2 })
    const order: string[] = []
    const run = (name: string, first = false) => sandbox.run('wait', 20, { first }).then(() => order.push(name))
    const runs = [run('a'), run('b'), run('c'), run('index', true)]
    await expect(run('d')).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE', kind: 'unavailable' })
    await Promise.all(runs)
    expect(order).toEqual(['a', 'index', 'b', 'c'])
  })

  it('refuses what it is asked after its end, and ends what is at work or waits', async () => {
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
  ])('says of threads that cannot start that it is no fault of a task (%s)', async (module) => {
    const sandbox = sandboxOf({}, module)
    const runs = Array.from({ length: 3 }, () => sandbox.run('echo', 1).catch((reason: unknown) => reason))
    for (const error of await Promise.all(runs)) {
      expect(error).toBeInstanceOf(SandboxError)
      expect((error as Error).message).not.toContain('hunter2')
    }
    expect(lost.length).toBeGreaterThan(0)
  })

  it("threat 38: lends no thread the environment, where an operator's keys may lie", async () => {
    expect(await sandboxOf().run('environment', undefined)).toEqual({})
  })
})
