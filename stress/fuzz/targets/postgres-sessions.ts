import fc from 'fast-check'
import { StorageError } from '../../../packages/protocol/src/errors.js'
import { authentication, columns, done, message, ready, row } from '../../../test/helpers/fake-postgres.js'
import { HostileServer } from '../../../test/helpers/hostile-server.js'
import { testEgress, testRegistry } from '../../../test/helpers/storage-tools.js'
import { mutatedBytes } from '../lib/mutate.js'
import { holds, target } from '../lib/target.js'

/** Responses of a well-behaved server: to the startup, to BEGIN, and to the query. */
const TURNS = [
  [authentication(0), message('S', 'server_version\x0017\0'), message('K', Buffer.alloc(8)), ready()],
  [done('BEGIN'), ready('T')],
  [message('1'), message('2'), columns({ a: 25, b: 1184 }), row('x', '2026-01-01 00:00:00+00'), message('s')],
  [row('y', null), done('SELECT 2')],
  [ready('T')],
].map((messages) => Buffer.concat(messages) as Uint8Array)

let script: Uint8Array[] = []
const server = await HostileServer.start((socket) => {
  const remaining = [...script]
  socket.on('data', () => {
    const next = remaining.shift()
    if (next === undefined) socket.end()
    else socket.write(next)
  })
})
const registry = testRegistry(testEgress({ connectTimeout: 300, responseTimeout: 300, stallTimeout: 300 }), {
  sql: { timeout: 300, maxRows: 100, maxBytes: 100_000 },
})

/** Responses of a PostgreSQL server, from the login to the last row. */
export default target({
  runs: 25,
  replayVerbatim: true,
  inputs: fc.tuple(
    ...TURNS.map((turn) =>
      fc.oneof(
        { arbitrary: fc.constant(turn), weight: 4 },
        { arbitrary: mutatedBytes(fc.constant(turn), 2), weight: 1 },
      ),
    ),
  ),
  async read(turns) {
    script = turns.map((turn) => Buffer.from(turn))
    const url = `postgres://tide:secret@127.0.0.1:${server.port}/tides`
    const file = registry.file({ type: 'sql', url, query: 'SELECT 1', format: 'ndjson' })
    const asking = { signal: AbortSignal.timeout(2000), budget: 'paid', method: 'GET', headers: {} } as const
    const { body } = await file.open(asking)
    let text = ''
    const completed = await (async () => {
      for await (const chunk of body) text += chunk
    })().then(
      () => true,
      () => false,
    )
    holds(!completed || text === '' || text.endsWith('\n'), 'rows of a complete result are complete')
  },
  isRejection: (error) => error instanceof StorageError,
})
