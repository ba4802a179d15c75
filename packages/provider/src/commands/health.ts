import { isIPv6 } from 'node:net'
import { Command } from '@commander-js/extra-typings'
import { Outbound } from '@tidegate/common'
import { ConfigError, singleSetting } from '../config/load.js'
import { SETTINGS, type Setting } from '../config/schema.js'
import { PROVIDER_LIMITS } from '../limits.js'
import { CONFIG, port } from './options.js'

export const command = (finish: (code: number) => void) =>
  new Command('health')
    .description('Exits with 0 if the service on this machine is live, else with 1. For health checks of containers.')
    .option('--port <n>', 'its port (default: PORT of the settings, else 8030)', port)
    .option(...CONFIG)
    .action(async (options) => finish(await health(options)))

/**
 * `tidegate health`: requests `/live` where the service listens by its settings. Returns the exit code: 0 if it is live.
 * Throws ConfigError.
 */
export async function health({ port, config }: { port?: number; config?: string }): Promise<number> {
  const url = localUrl(setting('HOST', config), port ?? setting('PORT', config), '/live')
  const { commands } = PROVIDER_LIMITS
  const outbound = new Outbound({ timeout: commands.health, maxSize: commands.answers.health })
  const isLive = await outbound.get(url).then(
    ({ status }) => status === 200,
    () => false,
  )
  await outbound.close()
  return isLive ? 0 : 1
}

/** Reads one setting: a health check must not fail because of another one. */
function setting(name: 'HOST' | 'PORT', config: string | undefined): string | number {
  const { parse, default: value }: Setting<string | number> = SETTINGS[name]
  const text = singleSetting(name, process.env, config)
  try {
    return text === undefined ? (value as string | number) : parse(text)
  } catch (error) {
    throw new ConfigError([`${name}: ${(error as Error).message}.`])
  }
}

/** Loopback addresses of services that listen on all addresses. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }

/** Returns the URL of a path where a service listens on this machine. */
export function localUrl(host: string | number, port: string | number, path: string): string {
  const { protocol, hostname } = new URL(`http://${isIPv6(String(host)) ? `[${host}]` : host}`)
  return `${protocol}//${LOOPBACK[hostname] ?? hostname}:${port}${path}`
}
