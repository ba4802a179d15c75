import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { POSTGRES_OF_RUN } from './postgres-database.js'
import { FOR_TESTS, type PostgresBackend, startPostgresServer } from './postgres-server.js'
import { countProcessorTime } from './processor-time.js'

/** For the pools of all files that run at once. */
const CONNECTIONS = 400

/**
 * Offers a PostgreSQL server to the processes that run test files: it starts when the first of them asks, and outlives
 * each of them. Returns the function that ends it.
 */
export async function offerPostgres(): Promise<() => Promise<void>> {
  keepExitCode()
  let server: Promise<PostgresBackend> | undefined
  const door = createServer((_, response) => {
    server ??= startPostgresServer('SELECT 1', undefined, [...FOR_TESTS, `max_connections=${CONNECTIONS}`])
    server.then(
      ({ port }) => response.end(`${port}`),
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  await once(door.listen(0, '127.0.0.1'), 'listening')
  process.env[POSTGRES_OF_RUN] = `http://127.0.0.1:${(door.address() as AddressInfo).port}`
  return async () => {
    door.close()
    door.closeAllConnections()
    // the files that asked for one that does not start have failed
    const started = await server?.catch(() => undefined)
    if (started === undefined) return
    const counted = countProcessorTime('PostgreSQL, for all files')
    await started.close()
    counted()
  }
}

/** Ends this process with its exit code, before the library of the server does, with code 0, when no work is left. */
function keepExitCode(): void {
  process.prependListener('beforeExit', () => process.exit())
}
