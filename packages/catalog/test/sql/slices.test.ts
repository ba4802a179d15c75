import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresBackend, startPostgres } from '../../../../test/helpers/backends.js'
import { numbered } from '../../../database/src/sql.js'
import { migrationsFor } from '../../../provider/src/state/migrations/index.js'
import { openPostgresStore } from '../../../provider/src/state/postgres.js'
import type { StateStore } from '../../../provider/src/state/stores.js'
import type { IndexChange } from '../../src/index/index-store.js'
import { readSearch } from '../../src/search/request/request.js'
import type { Part } from '../../src/search/sql/compile.js'
import { planOf } from '../../src/search/sql/plan.js'
import { CHAIN, published, SCOPE } from './published.js'

const COUNT = 60
const KINDS = ['dataset', 'dataset', 'algorithm', 'Dataset', ['dataset', 'algorithm'], undefined]
const TIDE = readSearch({ query: { match: { 'metadata.name': 'tide' } }, size: 100 })

const changesOf = (at: number): IndexChange[] =>
  published(at, { name: `tide ${at}`, type: KINDS[at % KINDS.length] }).changes

describe('the full-text index of PostgreSQL', () => {
  let server: PostgresBackend
  let client: pg.Client
  let store: StateStore
  const open = () => openPostgresStore({ url: server.url(), connections: 4, timeout: 60_000 })
  const found = async (search = TIDE) => (await store.search.find(search, SCOPE)).hits.map(({ did }) => did)
  const ofKind = (kind: string, field = 'metadata.type') => {
    const filter = [{ term: { [field]: kind } }]
    return found(readSearch({ query: { bool: { must: [{ match: { 'metadata.name': 'tide' } }], filter } }, size: 100 }))
  }
  const expectKinds = async () => {
    expect(await ofKind('dataset')).toHaveLength((4 / 6) * COUNT)
    expect(await ofKind('DATASET')).toHaveLength((4 / 6) * COUNT)
    expect(await ofKind('dataset', 'metadata.type.keyword')).toHaveLength((3 / 6) * COUNT)
    expect(await ofKind('Dataset', 'metadata.type.keyword')).toHaveLength((1 / 6) * COUNT)
    expect(await ofKind('algorithm')).toHaveLength((2 / 6) * COUNT)
    expect(await ofKind('data')).toHaveLength(0)
    expect(await ofKind('')).toHaveLength(0)
  }
  const kinds = async () => {
    const { rows } = await client.query('SELECT kind, count(*) AS n FROM search_text GROUP BY kind ORDER BY kind')
    return rows.map(({ kind, n }): [string | null, number] => [kind, Number(n)])
  }
  const EACH = COUNT / KINDS.length
  const slices = async () => {
    const { rows } = await client.query('SELECT slice, count(*) AS n FROM search_text GROUP BY slice ORDER BY slice')
    return rows.map(({ slice, n }): [number, number] => [slice, Number(n)])
  }
  beforeAll(async () => {
    server = await startPostgres()
    client = new pg.Client(server.url())
    await client.connect()
    store = await open()
    const changes = Array.from({ length: COUNT }, (_, at) => changesOf(at + 1)).flat()
    await store.index.commit({ chainId: CHAIN, from: undefined, to: { block: 1, hash: '0x1' }, changes })
  })
  afterAll(async () => {
    await store.close()
    await client.end()
  })

  it('has documents in all of its slices', async () => {
    expect((await slices()).map(([slice]) => slice)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(await found()).toHaveLength(COUNT)
  })

  it('has the kind of a document beside its words, which are looked at where that is not one word in lower case', async () => {
    expect(await kinds()).toEqual([
      ['', EACH],
      ['algorithm', EACH],
      ['dataset', 2 * EACH],
      [null, 2 * EACH],
    ])
    await expectKinds()
  })

  it('of a version without slices is found at once, and in its slices once it was written anew', async () => {
    const before = await found()
    await store.close()
    const version = migrationsFor('postgres').findIndex((step) => step.includes('PARTITION BY LIST (slice)'))
    await client.query(`BEGIN;
      CREATE TABLE plain (id BIGINT NOT NULL, tsv TSVECTOR NOT NULL);
      INSERT INTO plain SELECT id, tsv FROM search_text;
      DROP TABLE search_text;
      ALTER TABLE plain RENAME TO search_text;
      ALTER TABLE search_text ADD CONSTRAINT search_text_pkey PRIMARY KEY (id);
      CREATE INDEX search_text_by_token ON search_text USING gin (tsv) WITH (fastupdate = off);
      ALTER TABLE index_asset DROP COLUMN services, DROP COLUMN size;
      ALTER TABLE index_cursor DROP COLUMN part_block, DROP COLUMN part_hash, DROP COLUMN part_log, DROP COLUMN undoing,
        DROP COLUMN format_mark;
      ALTER TABLE index_checkpoint DROP COLUMN events, DROP COLUMN digest;
      DROP INDEX index_undo_by_row, index_nft_by_owner;
      DROP INDEX search_value_by_name_4, search_value_by_name_5;
      DROP INDEX search_value_by_price, search_value_by_price_down, search_value_older_token;
      ALTER TABLE hosted_files DROP COLUMN deferred, DROP COLUMN concat, DROP COLUMN final;
      ALTER TABLE deliveries DROP COLUMN counted;
      DROP TABLE takedowns, origin, index_order, index_offer, index_market, range_deliveries;
      ALTER TABLE index_reading DROP COLUMN orders, DROP COLUMN offers;
      UPDATE tidegate_schema SET version = ${version};
      COMMIT`)
    store = await open()
    expect(await slices()).toEqual([[0, COUNT]])
    expect(await kinds()).toEqual([[null, COUNT]])
    expect(await found()).toEqual(before)
    await expectKinds()
    expect(await store.search.buildSome()).toBe(true)
    expect((await slices())[0]?.[1]).toBeLessThan(COUNT)
    expect(await found()).toEqual(before)
    while (await store.search.buildSome());
    expect((await slices()).map(([slice]) => slice)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(await found()).toEqual(before)
    expect(await kinds()).toHaveLength(4)
    await expectKinds()
  })

  it('finds rows of an earlier version, and writes them anew, also those that come during an upgrade', async () => {
    const long = ['metadata.name^10', 'metadata.description', 'metadata.author', 'metadata.tags']
    const filter = [{ term: { 'metadata.type': 'dataset' } }]
    const tide = readSearch({
      query: { bool: { must: [{ query_string: { query: 'tide', fields: long } }], filter } },
      size: 100,
    })
    const before = await found(tide)
    expect(before).toHaveLength((4 / 6) * COUNT)
    for (const of of ['id % 2 = 0', 'true']) {
      const { rowCount } =
        await client.query(`UPDATE search_text SET title = NULL, kind = NULL, tokens = NULL, tsv = ts_delete(
        tsv, ARRAY(SELECT lexeme FROM unnest(tsv) WHERE lexeme LIKE 't%')) WHERE ${of}`)
      expect(rowCount).toBeGreaterThan(0)
      // as every version does with a change
      await client.query('UPDATE index_reading SET version = version + 1')
      expect(await found(tide)).toEqual(before)
      await expectKinds()
      expect(await store.search.buildSome()).toBe(true)
      while (await store.search.buildSome());
      const { rows } = await client.query('SELECT count(*) AS n FROM search_text WHERE title IS NULL')
      expect(rows).toEqual([{ n: '0' }])
      expect(await found(tide)).toEqual(before)
    }
  })

  it('has room for a document of long words in another script, and for each of its words one token of its kinds', async () => {
    // 4,000 words of 12 characters, each of which has 7 in a token
    const word = (at: number) => `${'ᐁ'.repeat(10)}${String.fromCodePoint(0x1401 + (at >> 6), 0x1401 + (at & 63))}`
    const description = Array.from({ length: 4000 }, (_, at) => word(at)).join(' ')
    const type = `dataset algorithm ${'dataset algorithm other '.repeat(60)}`
    const { did, changes } = published(999, { name: 'ebb', description, type })
    const from = { block: 1, hash: '0x1' } as const
    expect(await store.index.commit({ chainId: CHAIN, from, to: { block: 2, hash: '0x2' }, changes })).toBe(true)
    const fields = ['metadata.name^10', 'metadata.description', 'metadata.author', 'metadata.tags']
    for (const kind of ['dataset', 'algorithm', 'other'])
      for (const query of ['ebb', word(0), word(1000)]) {
        const filter = [{ term: { 'metadata.type': kind } }]
        const search = readSearch({ query: { bool: { must: [{ query_string: { query, fields } }], filter } } })
        expect(await found(search), `${query} ${kind}`).toEqual([did])
      }
    const { rows } = await client.query(
      `SELECT count(*) AS n, max(length(lexeme)) AS longest FROM search_text t, unnest(tsv) WHERE lexeme LIKE 't%'
        AND t.id = (SELECT id FROM search_document WHERE did = $1)`,
      [did],
    )
    expect(Number(rows[0].n)).toBeLessThanOrEqual(2 * 4000)
    expect(rows[0].longest).toBeLessThan(32)
  })

  it('reads names in order of the documents, without the full-text index', async () => {
    const search = readSearch({ query: { match: { 'metadata.name': 'tide' } } })
    const generations = [{ id: CHAIN, chainId: CHAIN, role: 'live', building: false, older: false }]
    // of a restricted reader, who does not find what is encrypted
    const plan = planOf(search, { ...SCOPE, encrypted: false }, 'postgres', generations)
    const { text, values } = plan.inTitles({ op: 'and', of: [] }) as Part
    await client.query('SET enable_seqscan = off')
    const { rows } = await client.query(`EXPLAIN ${numbered(text)} ORDER BY id DESC LIMIT 21`, values)
    const explained = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(explained.match(/Index Scan Backward using \w+_pkey/g)).toHaveLength(9)
    expect(explained).not.toContain('Bitmap')
    expect((await client.query(numbered(text), values)).rows).toHaveLength(COUNT)
  })

  it('uses an index of each slice for a word', async () => {
    const { rows } = await client
      .query("SET enable_seqscan = off; EXPLAIN SELECT id FROM search_text WHERE tsv @@ 'atide'::tsquery LIMIT 10")
      .then((results) => (results as unknown as pg.QueryResult[])[1] as pg.QueryResult)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan.match(/Bitmap Index Scan/g)).toHaveLength(9)
  })
})
