import { nonceNumber, parseNonce } from '../../packages/provider/src/auth/nonces/nonce.js'
import { openPostgresStore } from '../../packages/provider/src/state/postgres.js'
import { openSqliteStore } from '../../packages/provider/src/state/sqlite.js'

// A process that consumes nonces in sequence and reports each accepted one to its parent. Its arguments are the folder of
// an embedded database or the URL of a PostgreSQL, and the milliseconds between two nonces.
const place = process.argv[2] as string
const pause = Number(process.argv[3])
const store = place.startsWith('postgres:')
  ? await openPostgresStore({ url: place, connections: 2, timeout: 60_000 })
  : openSqliteStore(place)
const address = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'
const last = await store.nonces.last(address)
for (let value = last ? BigInt(nonceNumber(last)) + 1n : 1n; ; value += 1n) {
  const { sortKey } = parseNonce(String(value), 10n ** 39n)
  if (await store.nonces.consume(address, sortKey)) process.send?.(sortKey)
  if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
  else if (value % 10n === 0n) await new Promise((resolve) => setImmediate(resolve))
}
