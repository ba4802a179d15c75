import cluster from 'node:cluster'
import { createApp } from './app.js'
import { loadSettings } from './config/load.js'
import { stopSignal } from './signals.js'
import { isWorker, shareMetrics, stopMessage, superviseWorkers } from './workers.js'

/** `tidegate start`: runs the service, in one process or in several, until it is told to stop. Answers the exit code. */
export async function start(options: { config?: string }): Promise<number> {
  const settings = loadSettings(process.env, options.config)
  if (settings.WORKERS > 1 && !isWorker) return superviseWorkers(settings)
  try {
    const app = await createApp(isWorker ? { ...settings, METRICS_PORT: undefined } : settings)
    if (isWorker) shareMetrics(app.context.metrics)
    await app.listen()
    await (isWorker ? stopMessage() : stopSignal())
    await app.close()
    return 0
  } finally {
    cluster.worker?.disconnect() // else the channel to the first process keeps this one alive
  }
}
