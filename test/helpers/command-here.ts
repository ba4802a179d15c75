import { run } from '../../packages/cli/src/run.js'
import { createApp } from '../../packages/provider/src/app.js'
import { failureOf } from '../../packages/provider/src/commands/failures.js'
import { loadSettings } from '../../packages/provider/src/config/load.js'
import { openStore } from '../../packages/provider/src/state/open.js'
import type { Ended } from './command.js'

/** Commands wait for each other here, since environment and output are those of the process. */
let turn: Promise<unknown> = Promise.resolve()

/**
 * Runs `tidegate <args>` like `runCommand`, but in this process, which takes a tenth of the processor time. For commands of
 * which only the outcome matters; that they also work and end as processes is for a few others to show.
 */
export function runHere(args: string[], environment: Record<string, string>): Promise<Ended> {
  return inTurn(environment, () => run(args))
}

/** What `tidegate start` says of its settings and its state before it does anything else, in this process. */
export function openHere(environment: Record<string, string>): Promise<Ended> {
  return starting(environment, async () => (await openStore(loadSettings(process.env))).close())
}

/** The same of all that it says until it would listen: of its chains, keys and lists as well. */
export function buildHere(environment: Record<string, string>): Promise<Ended> {
  return starting(environment, async () => (await createApp(loadSettings(process.env))).close())
}

function starting(environment: Record<string, string>, work: () => Promise<void>): Promise<Ended> {
  return inTurn(environment, async () => {
    try {
      await work()
      return 0
    } catch (error) {
      const { lines, exitCode } = failureOf(error)
      for (const line of lines) process.stderr.write(`tidegate: ${line}\n`)
      return exitCode
    }
  })
}

function inTurn(environment: Record<string, string>, work: () => Promise<number>): Promise<Ended> {
  const ended = turn.then(() => captured(environment, work))
  turn = ended.catch(() => undefined)
  return ended
}

async function captured(environment: Record<string, string>, work: () => Promise<number>): Promise<Ended> {
  const before = process.env
  const written = { stdout: '', stderr: '' }
  const restore = (['stdout', 'stderr'] as const).map((name) => {
    const { write } = process[name]
    const known = new Set(process[name].listeners('error'))
    process[name].write = ((text: string | Uint8Array, ...rest: unknown[]) => {
      written[name] += typeof text === 'string' ? text : Buffer.from(text).toString()
      const done = rest.at(-1)
      if (typeof done === 'function') done()
      return true
    }) as typeof write
    return () => {
      process[name].write = write
      // a command that streams its output leaves one, as it is about to exit
      for (const listener of process[name].listeners('error') as (() => void)[])
        if (!known.has(listener)) process[name].off('error', listener)
    }
  })
  const interrupts = process.listeners('SIGINT')
  process.env = { PATH: before.PATH as string, ...environment }
  try {
    const status = await work()
    return { status, ...written }
  } finally {
    process.env = before
    for (const one of restore) one()
    // for the same reason
    for (const listener of process.listeners('SIGINT'))
      if (!interrupts.includes(listener)) process.off('SIGINT', listener)
  }
}
