import type { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { columns, fakePostgres, message, type Script } from '../../../../test/helpers/fake-postgres.js'
import { testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'
import type { OpenRequest } from '../../src/storage.js'

/** Short time limits, for servers that stall. */
export const QUICK = { timeouts: { connectTimeout: 400, responseTimeout: 600, stallTimeout: 400 }, timeout: 500 }
export const PATIENT = { connectTimeout: 90_000, responseTimeout: 90_000, stallTimeout: 90_000 }
export const BEGUN = Buffer.concat([message('1'), message('2'), columns({ a: 25 })])
export const STAGES = ['connect', 'tls', 'startup', 'password', 'begin', 'rows'] as const
export const MEGABYTE = 1_048_576

interface Changed {
  timeouts?: typeof PATIENT
  timeout?: number
  maxBytes?: number
  /** `onTestFinished` of the context of a concurrent test. */
  finished?: typeof onTestFinished
}

/** Runs a storage against a hostile server. After the test, both must have released everything. */
export async function against(script: Script, changed: Changed = {}) {
  const fake = await fakePostgres(script)
  const egress = testEgress(changed.timeouts ?? PATIENT)
  const { timeout = 90_000, maxBytes = 1_000_000_000, finished = onTestFinished } = changed
  const registry = testRegistry(egress, { sql: { timeout, maxRows: 10_000_000, maxBytes } })
  const gone = new AbortController()
  const file = (query = '', object: object = {}) =>
    registry.file({ type: 'sql', url: fake.url(query), query: 'SELECT 1', ...object })
  const asking: OpenRequest = { signal: gone.signal, budget: 'paid', method: 'GET', headers: {} }
  finished(async () => {
    await eventually(() => egress.inFlight('paid') + egress.inFlight('anonymous') === 0)
    await eventually(() => fake.server.open.size === 0)
    await egress.close()
    await fake.close()
  })
  return { ...fake, egress, gone, file, asking, open: (query?: string) => file(query).open(asking) }
}

export async function textOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
