import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { NetworkFacts } from '../src/dev/network.js'

/** A `tidegate dev --json` in a process of its own. */
export interface DevProcess {
  facts: NetworkFacts
  process: ChildProcess
  /** Ends it with SIGTERM and answers the exit code. */
  stop(): Promise<number | null>
}

const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url))

/** Arguments with which node runs the tidegate command from source. */
export function cliArguments(...args: string[]): string[] {
  return ['--import', 'tsx', CLI, ...args]
}

/** Starts a local network in its own process and resolves with its ready line. Throws what it said when it ends instead. */
export async function spawnDev(args: string[] = [], environment: NodeJS.ProcessEnv = {}): Promise<DevProcess> {
  const given = ['dev', '--json', '--port', '0', '--rpc-port', '0', ...args]
  const child = spawn(process.execPath, cliArguments(...given), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4000)
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([first]) => first as string),
    exited.then(([code]) => Promise.reject(new Error(`tidegate dev ended with code ${code}: ${said}`))),
  ])
  return {
    facts: JSON.parse(line) as NetworkFacts,
    process: child,
    async stop() {
      child.kill('SIGTERM')
      return (await exited)[0]
    },
  }
}
