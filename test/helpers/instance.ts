import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { cliArguments } from '../../demo/local-dev.js'

/** A `tidegate start` in a process of its own. */
export interface Instance {
  url: string
  process: ChildProcess
  /** What it has logged so far. */
  lines: string[]
  /** Ends it with a signal. */
  end(signal?: NodeJS.Signals): Promise<void>
}

/** Starts the service with an environment, and resolves when it listens. `program` is what node runs, by default the source. */
export async function startInstance(
  environment: NodeJS.ProcessEnv,
  program: readonly string[] = cliArguments(),
): Promise<Instance> {
  const child = spawn(process.execPath, [...program, 'start'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', ...environment, LOG_LEVEL: 'info' },
  })
  const exited = once(child, 'exit')
  const lines: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr as NonNullable<typeof child.stderr> }).on('line', (line) => {
      const match = /listening at (http[^"\s]+)/.exec(line)
      if (match) resolve(match[1] as string)
      // not the lines of each request, of which there are many
      if (!line.includes('"reqId"')) lines.push(line)
    })
    exited.then(() => reject(new Error(`The service ended: ${lines.join('\n')}`)))
  })
  return {
    url,
    process: child,
    lines,
    async end(signal = 'SIGTERM') {
      child.kill(signal)
      await exited
    },
  }
}
