import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from './app.js'
import { BOUNDS } from './bounds.js'
import { loadSettings } from './config/load.js'
import { stopSignal } from './signals.js'
import { expectedState, isWorker, shareMetrics, superviseWorkers, tellState } from './workers.js'

/**
 * `tidegate start`: runs the service, in one process or in several, until it is told to stop. Answers the exit code,
 * with which the process is to be ended: what is still under way then may be cut, as kill -9 may cut it.
 */
export async function start(options: { config?: string }): Promise<number> {
  const stop = stopSignal()
  const settings = loadSettings(process.env, options.config)
  if (settings.WORKERS > 1 && !isWorker) return superviseWorkers(settings)
  const starting = createApp(isWorker ? { ...settings, METRICS_PORT: undefined } : settings, expectedState())
  starting.catch(() => undefined) // of no interest once it is to stop
  const app = await Promise.race([starting, stop.then(() => undefined)])
  if (!app) return 0 // nobody was served yet
  if (isWorker) {
    shareMetrics(app.context.metrics)
    tellState((await app.context.store.identity.get()).id)
  }
  const listening = app.listen()
  listening.catch(() => undefined)
  await Promise.race([listening, stop])
  await stop
  await Promise.race([app.close(), sleep(settings.STOP_TIMEOUT + 2 * BOUNDS.stop.rest)])
  return 0
}
