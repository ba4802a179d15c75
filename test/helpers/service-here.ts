import type { FastifyBaseLogger } from 'fastify'
import { createApp } from '../../packages/provider/src/app.js'
import { loadSettings } from '../../packages/provider/src/config/load.js'
import { atEnd } from './cleanup.js'

/** A running service, in a process of its own or in this one. */
export interface Service {
  url: string
  end(): Promise<void>
}

/** What a service has said: the fields and the text of each line of its log. */
export type Said = Record<string, unknown> & { msg?: string }

/**
 * Starts the service in this process, for a fifth of the processor time that a process takes which starts it. `said` has
 * what it logs, at whatever level, once it was built.
 */
export async function startHere(environment: NodeJS.ProcessEnv): Promise<Service & { said: Said[] }> {
  const app = await createApp(loadSettings({ HOST: '127.0.0.1', PORT: '0', ...environment }))
  const said: Said[] = []
  // the server has a child of the logger that all others have, which pino makes from that as its prototype
  const log = Object.getPrototypeOf(app.server.log) as FastifyBaseLogger
  for (const level of ['info', 'warn', 'error'] as const) {
    const write = log[level].bind(log)
    log[level] = (fields: unknown, msg?: string) => {
      said.push({ ...(fields as object), ...(msg === undefined ? {} : { msg }) })
      write(fields as object, msg)
    }
  }
  return { url: await app.listen(), said, end: atEnd(() => app.close()) }
}
