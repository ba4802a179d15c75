import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from '@commander-js/extra-typings'
import { createLogger } from '@tidegate/common'
import { DATABASE_LIMITS } from '@tidegate/database'
import { createApp } from '../app.js'
import { loadSettings } from '../config/load.js'
import { readableFiles } from '../config/readable-files.js'
import { serveWorkerMetrics, shareMetrics } from '../metrics/workers.js'
import { compactHeap } from '../process/compact-heap.js'
import { stopSignal } from '../process/signals.js'
import { shareOf } from '../process/worker-share.js'
import { expectedState, isWorker, reportState, superviseWorkers } from '../process/workers.js'
import { CONFIG } from './options.js'

export const command = (finish: (code: number) => void) =>
  new Command('start')
    .description(
      'Runs the service with the settings of the environment (docs/configuration.md), until SIGTERM or Ctrl-C.',
    )
    .option(...CONFIG)
    .action(async (options) => finish(await start(options)))

/**
 * `tidegate start`: runs the service, in one or several processes, until a stop signal. Returns the exit code. The
 * caller must then exit the process, which cuts off remaining work.
 */
export async function start(options: { config?: string }): Promise<number> {
  const stop = stopSignal()
  compactHeap()
  const settings = loadSettings(process.env, options.config)
  const readable = isWorker ? [] : readableFiles(process.env, options.config)
  if (readable.length > 0)
    (await createLogger(settings)).warn({ files: readable }, 'every user of this machine may read a file with a secret')
  if (settings.WORKERS > 1 && !isWorker) return superviseWorkers(settings, serveWorkerMetrics)
  const own = isWorker ? { ...shareOf(settings), METRICS_PORT: undefined } : settings
  const starting = createApp(own, expectedState())
  starting.catch(() => undefined) // irrelevant after a stop signal
  const app = await Promise.race([starting, stop.then(() => undefined)])
  if (!app) return 0 // nothing was served yet
  if (isWorker) {
    shareMetrics(app.context.metrics)
    reportState((await app.context.store.identity.get()).id)
  }
  const listening = app.listen()
  listening.catch(() => undefined)
  await Promise.race([listening, stop])
  await stop
  await Promise.race([app.close(), sleep(settings.STOP_TIMEOUT + 2 * DATABASE_LIMITS.stop.grace)])
  return 0
}
