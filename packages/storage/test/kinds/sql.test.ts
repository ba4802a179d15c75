import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import { ASKING, testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'
import type { StorageRegistry } from '../../src/kinds/registry.js'
import type { UserData } from '../../src/storage.js'

describe('sql', () => {
  let backend: PostgresDatabase
  let registry: StorageRegistry
  const egress = testEgress()
  beforeAll(async () => {
    backend = await startPostgres("CREATE TABLE tide (station text); INSERT INTO tide VALUES ('a'), ('b')")
    registry = testRegistry(egress, { sql: { timeout: 60_000, maxRows: 1000, maxBytes: 100_000 } })
  })
  afterAll(() => egress.close())

  async function run(query: string, more: object = {}, userdata?: UserData, from = registry): Promise<string> {
    const url = backend.url()
    const { body } = await from
      .file({ type: 'sql', url, query, ...more })
      .open({ ...ASKING, method: 'GET', headers: {}, userdata })
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString()
  }

  it('binds values instead of interpolating them', async () => {
    const query = 'SELECT count(*) AS n FROM tide WHERE station = $1'
    const injected = "a' OR '1'='1"
    expect(await run(query, { parameters: ['s'] }, { s: 'a' })).toBe('n\n1\n')
    expect(await run(query, { parameters: ['s'] }, { s: injected })).toBe('n\n0\n')
    await expect(run(query, { parameters: ['s'] }, {})).rejects.toMatchObject({
      fields: { userdata: [expect.stringContaining('must hold s')] },
    })
    await expect(run(query, { parameters: ['toString'] }, {})).rejects.toHaveProperty('fields')
  })

  it('returns newline-delimited JSON', async () => {
    expect(await run('SELECT station FROM tide ORDER BY 1', { format: 'ndjson' })).toBe(
      '{"station":"a"}\n{"station":"b"}\n',
    )
  })

  it.each([
    'DELETE FROM tide',
    'CREATE TABLE x (a int)',
    "UPDATE tide SET station = 'c' RETURNING *",
    'SELECT 1; DELETE FROM tide',
    'COMMIT',
    "SELECT nextval('none')",
    'nonsense',
  ])('refuses %s', async (query) => {
    await run(query).catch((error) => expect(error).toMatchObject({ code: 'STORAGE_REFUSED' }))
    expect(await run('SELECT count(*) AS n FROM tide')).toBe('n\n2\n')
  })

  it('aborts the transfer of a slow query, and of one with too many rows or bytes', async () => {
    const impatient = testRegistry(egress, { sql: { timeout: 1000, maxRows: 1000, maxBytes: 100_000 } })
    const slow = run('SELECT pg_sleep(30)', {}, undefined, impatient)
    await expect(slow).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
    await expect(run('SELECT generate_series(1, 100000) AS n')).rejects.toThrow()
    await expect(run("SELECT repeat('x', 1000) FROM generate_series(1, 900)")).rejects.toThrow()
  })

  it('leaves no open connection', async () => {
    const others =
      'SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'
    await expect.poll(() => run(others), { timeout: 60_000 }).toBe('n\n0\n')
  })
})
