import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { NetworkInfo } from '../packages/dev-network/src/network.js'

/** A running `tidegate dev --json` process. */
export interface DevProcess {
  facts: NetworkInfo
  process: ChildProcess
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>
}

const CLI = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url))

/** Returns the node arguments that run the tidegate command from source. */
export function cliArguments(...args: string[]): string[] {
  return ['--import', 'tsx', CLI, ...args]
}

/**
 * Starts a local network in its own process and resolves when it is ready. Rejects with its output if it exits first.
 * `program` holds the arguments of node, by default to run the source.
 */
export async function spawnDev(
  args: string[] = [],
  environment: NodeJS.ProcessEnv = {},
  program: readonly string[] = cliArguments(),
): Promise<DevProcess> {
  const argv = ['dev', '--json', '--port', '0', '--rpc-port', '0', ...args]
  const child = spawn(process.execPath, [...program, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4000)
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([first]) => first as string),
    exited.then(([code]) => Promise.reject(new Error(`tidegate dev ended with code ${code}: ${output}`))),
  ])
  return {
    facts: JSON.parse(line) as NetworkInfo,
    process: child,
    async stop() {
      child.kill('SIGTERM')
      return (await exited)[0]
    },
  }
}
