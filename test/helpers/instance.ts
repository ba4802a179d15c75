import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { owned } from './children.js'
import { atEnd } from './cleanup.js'
import { program as built } from './command.js'

/** A `tidegate start` in a process of its own. */
export interface Instance {
  url: string
  process: ChildProcess
  /** Its log lines so far, except for the many lines of requests. */
  lines: string[]
  /** The log lines of requests, if they are recorded. */
  requests: Record<string, unknown>[]
  /** Ends it with a signal. */
  end(signal?: NodeJS.Signals): Promise<void>
}

/**
 * Starts the service with an environment, and resolves when it listens. `program` holds the arguments of node, by
 * default the build of this run; `args` follow `start`; `onLine` is called with every line of its log.
 */
export async function startInstance(
  environment: NodeJS.ProcessEnv,
  program: readonly string[] = built(),
  { keepRequests = false, args = [] as readonly string[], level = 'info', onLine = (_line: string) => {} } = {},
): Promise<Instance> {
  const child = spawn(process.execPath, [...program, 'start', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', ...environment, LOG_LEVEL: level },
  })
  // not 'exit', when lines may still be on their way
  const exited = once(owned(child), 'close')
  const lines: string[] = []
  const requests: Record<string, unknown>[] = []
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr as NonNullable<typeof child.stderr> }).on('line', (line) => {
      onLine(line)
      const match = /listening at (http[^"\s]+)/.exec(line)
      if (match) resolve(match[1] as string)
      if (!line.includes('"reqId"')) lines.push(line)
      else if (keepRequests) requests.push(JSON.parse(line) as Record<string, unknown>)
    })
    exited.then(() => reject(new Error(`The service ended: ${lines.join('\n')}`)))
  })
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    await exited
  }
  atEnd(() => end('SIGKILL'))
  return { url, process: child, lines, requests, end }
}
