import { createApp } from './app.js'
import { loadSettings } from './config/load.js'
import { stopSignal } from './signals.js'

/** `tidegate start`: runs the service until it is told to stop. Answers the exit code. */
export async function start(options: { config?: string }): Promise<number> {
  const app = await createApp(loadSettings(process.env, options.config))
  await app.listen()
  await stopSignal()
  await app.close()
  return 0
}
