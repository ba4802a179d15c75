import { cpSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { type DevProcess, spawnDev } from '../../demo/local-dev.js'
import { command, type DevOptions, networkOf } from '../../packages/cli/src/dev.js'
import { type NetworkInfo, startLocalNetwork } from '../../packages/dev-network/src/network.js'
import { owned } from './children.js'
import { atEnd } from './cleanup.js'
import { program } from './command.js'
import { prepared } from './prepared.js'

export type { DevProcess } from '../../demo/local-dev.js'

/**
 * Milliseconds between two looks of a service at its chain: a network that lives for a minute would spend three seconds of
 * processor time on them at its own interval.
 */
export const INDEX_POLL_INTERVAL = '300'

/** Starts `tidegate dev` in a process of its own, and resolves when it is ready. */
export async function startDev(args: string[] = [], environment: NodeJS.ProcessEnv = {}): Promise<DevProcess> {
  const dev = await spawnDev(args, { INDEX_POLL_INTERVAL, ...environment }, program())
  owned(dev.process)
  return { ...dev, stop: atEnd(dev.stop) }
}

/** As `startDev`, on the contracts that the test run has deployed: for tests of something else than `tidegate dev`. */
export function startDevOnContracts(args: string[] = [], environment: NodeJS.ProcessEnv = {}): Promise<DevProcess> {
  return startDev([...args, ...preparedState()], environment)
}

/** A local network, in a process of its own or in this one. */
export interface Dev {
  facts: NetworkInfo
  stop(): Promise<unknown>
}

/**
 * As `startDevOnContracts`, in this process, which takes a fraction of the processor time: for tests of something else than the
 * process.
 */
export async function startDevHere(args: string[] = [], environment: NodeJS.ProcessEnv = {}) {
  const settings = { LOG_LEVEL: 'silent', INDEX_POLL_INTERVAL, ...environment }
  const options = optionsOf(['--port', '0', '--rpc-port', '0', ...args])
  // sample data have a history, before which their chain begins; a folder has its own chain
  const beginFrom = options.seed || options.state ? undefined : prepared('chain')
  const { facts, seeded, close } = await startLocalNetwork({ ...networkOf(options, settings), beginFrom })
  return { facts, samples: seeded?.assets ?? {}, stop: atEnd(close) }
}

/** Returns what `tidegate dev` makes of its arguments. */
function optionsOf(args: string[]): DevOptions {
  const read: DevOptions[] = []
  const run = async (options: DevOptions) => read.push(options)
  // an option that there is none of is an error, not the end of this process
  command(() => undefined, run)
    .exitOverride()
    .parse(args, { from: 'user' })
  return read[0] as DevOptions
}

/** The arguments for a folder of its own with the contracts that the test run has deployed; none where it has none. */
export function preparedState(): string[] {
  const [run, chain] = [prepared(), prepared('chain')]
  if (run === undefined || chain === undefined) return []
  // removed with all that the run has prepared
  const state = mkdtempSync(join(run, 'dev-'))
  cpSync(chain, state, { recursive: true })
  return ['--state', state]
}
