import { createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'

/** A running service, in a process of its own or in this one. */
export interface Service {
  url: string
  end(): Promise<void>
}

/** Starts the service in this process, for a fifth of the processor time that a process takes which starts it. */
export async function startHere(environment: NodeJS.ProcessEnv): Promise<Service> {
  const app = await createApp(loadSettings({ HOST: '127.0.0.1', PORT: '0', ...environment }))
  return { url: await app.listen(), end: () => app.close() }
}
