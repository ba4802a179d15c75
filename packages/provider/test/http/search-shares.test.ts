import pg from 'pg'
import { expect, test } from 'vitest'
import { atEnd, newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { onPostgres } from '../../../../test/helpers/on-postgres.js'
import { startPostgres } from '../../../../test/helpers/postgres-database.js'
import { ask } from '../../../../test/helpers/requests.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { World } from '../../../../test/helpers/world.js'

const BUSY = '198.51.100.1'
const OTHER = '198.51.100.2'

test('slow searches of one address leave places to another (threat 144)', async () => {
  const [world, postgres] = await Promise.all([World.start(), startPostgres()])
  const settings = {
    STATE_DIR: newFolder(),
    DATABASE_URL: postgres.url(),
    TRUSTED_PROXIES: '127.0.0.1',
    CATALOGUE: 'public',
  }
  const service = await startHere(world.beside(settings))
  atEnd(() => service.end())
  const from = (address: string, path: string, body?: object) =>
    ask(`${service.url}${path}`, {
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    })
  const search = (address: string, body: object) => from(address, '/api/aquarius/assets/query', body)
  const named = (name: string) => ({ query: { match: { 'metadata.name': name } } })
  await eventually(async () => (await search(OTHER, named('tide'))).status === 200)

  const holder = new pg.Client({ connectionString: postgres.url() })
  await holder.connect()
  // an order search waits as long as a slow one takes
  await holder.query('BEGIN; LOCK TABLE index_order')
  const ofNobody = (at: number) => `0x${String(at).padStart(40, '0')}`
  const slow = Array.from({ length: 24 }, (_, at) =>
    from(BUSY, '/api/aquarius/assets/metadata/query', { index: 'order', query: { term: { consumer: ofNobody(at) } } }),
  )
  const inWait = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  const waiting = async () => (await onPostgres(postgres.url(), inWait)).length
  await eventually(async () => (await waiting()) >= 3)
  // one that waits in the queue of the busy address, and the same one of another
  const queued = search(BUSY, named('shared'))
  const answers = [search(OTHER, named('shared')), search(OTHER, named('own')), from(OTHER, '/catalogue')]
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200])
  await holder.query('ROLLBACK')
  await holder.end()
  await Promise.all([queued, ...slow])
})
