import { execFile } from 'node:child_process'
import { cliArguments } from '../../demo/local-dev.js'
import { owned } from './children.js'
import { prepared } from './prepared.js'

/** The outcome of a command. */
export interface Ended {
  status: number
  stdout: string
  stderr: string
}

/** Milliseconds after which a command counts as hung; far more than any needs on a busy machine. */
const HUNG = 400_000

/** The arguments of node for `tidegate`: the build of this test run, since it starts several times faster than source. */
export function program(): string[] {
  const built = prepared('build', 'dist', 'cli.js')
  return built === undefined ? cliArguments() : [built]
}

/**
 * Runs `tidegate <args>` with nothing else in the environment, without blocking servers in this process. Rejects if it
 * hangs.
 */
export function runCommand(
  args: string[],
  environment: Record<string, string>,
  input = '',
  run: readonly string[] = program(),
): Promise<Ended> {
  const options = {
    env: { PATH: process.env.PATH as string, ...environment },
    timeout: HUNG,
    killSignal: 'SIGKILL' as const,
  }
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [...run, ...args], options, (error, stdout, stderr) => {
      if (child.exitCode !== null) return resolve({ status: child.exitCode, stdout, stderr })
      reject(new Error(`tidegate ${args.join(' ')} did not end by itself: ${stdout}${stderr}`, { cause: error }))
    })
    owned(child).stdin?.end(input)
  })
}
