import { Command } from '@commander-js/extra-typings'
import { Outbound } from '@tidegate/common'
import { port } from './options.js'

export const command = (finish: (code: number) => void) =>
  new Command('health')
    .description('Exits with 0 if the service on this machine is live, else with 1. For health checks of containers.')
    .option('--port <n>', 'its port (default: PORT in the environment, else 8030)', port)
    .action(async (options) => finish(await health(options.port ?? Number(process.env.PORT || 8030))))

/** Milliseconds. */
const TIMEOUT = 3000

/** `tidegate health`: requests `/live` from the service at a local port. Returns the exit code: 0 if it is live. */
export async function health(port: number): Promise<number> {
  const outbound = new Outbound({ timeout: TIMEOUT, maxSize: 65_536 })
  const isLive = await outbound.get(`http://127.0.0.1:${port}/live`).then(
    ({ status }) => status === 200,
    () => false,
  )
  await outbound.close()
  return isLive ? 0 : 1
}
