import { execFile } from 'node:child_process'
import { cliArguments } from '../../demo/local-dev.js'

/** What a command of the program left behind. */
export interface Ended {
  status: number
  stdout: string
  stderr: string
}

/**
 * Runs `tidegate <args>` with nothing in the environment but this; does not block servers of the same process.
 * `program` is what node runs, by default the source.
 */
export function runCommand(
  args: string[],
  environment: Record<string, string>,
  input = '',
  program: readonly string[] = cliArguments(),
): Promise<Ended> {
  const env = { PATH: process.env.PATH as string, ...environment }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...program, ...args], { env }, (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
    )
    child.stdin?.end(input)
  })
}
