import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type Ended, runCommand } from '../../../../test/helpers/command.js'
import { runHere } from '../../../../test/helpers/command-here.js'
import { type Home, makeHome } from '../../../../test/helpers/terminal.js'
import { World } from '../../../../test/helpers/world.js'

export const CONTENT = Buffer.from('hour,height\n'.repeat(5000))
export const SHA256 = createHash('sha256').update(CONTENT).digest('hex')

interface Refusal {
  status: number | null
  error: { code: string; message: string; transactions?: string[] }
  stderr: string
}

/** Starts a network for commands in scripts: without a terminal, with --json. Call it in `describe`. */
export function useScripts(environment: NodeJS.ProcessEnv = { HOSTING: 'off' }) {
  let world: World
  let home: Home
  let url: string
  let start = runHere
  beforeAll(async () => {
    world = await World.start(environment)
    home = makeHome()
    url = world.storage.file('/tides.csv', CONTENT)
  })
  afterEach(() => {
    start = runHere
  })
  afterAll(async () => {
    await world.close()
    home.remove()
  })

  const settings = () => {
    const { providerUrl, rpcUrl } = world.network
    return { ...home.environment, TIDEGATE_PROVIDER: providerUrl, TIDEGATE_RPC: rpcUrl }
  }
  const run = (args: string[], environment: Record<string, string> = {}): Promise<Ended> =>
    start(args, { ...settings(), ...environment })
  /** Returns the object of a successful command. */
  async function answer(...args: string[]) {
    const { status, stdout, stderr } = await run([...args, '--json'])
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    return JSON.parse(stdout)
  }
  /** Returns the error of a failed command: its code and its one line. */
  async function refusal(args: string[], environment: Record<string, string> = {}): Promise<Refusal> {
    const { status, stdout, stderr } = await run([...args, '--json'], environment)
    const told = stderr.split('\n').filter((line) => line.startsWith('tidegate: '))
    expect(told, stderr).toHaveLength(1)
    return { status, ...JSON.parse(stdout), stderr }
  }
  return {
    get world() {
      return world
    },
    get url() {
      return url
    },
    at: (name: string) => join(home.folder, name),
    settings,
    run,
    answer,
    refusal,
    published: async (...terms: string[]): Promise<string> =>
      (
        await answer(
          'publish',
          url,
          '--name',
          'Tide tables',
          '--account',
          '1',
          '--yes',
          ...(terms.length > 0 ? terms : ['--free']),
        )
      ).did,
    /** Runs the following commands in processes of their own, until the test ends. */
    inProcesses: () => {
      start = runCommand
    },
  }
}
