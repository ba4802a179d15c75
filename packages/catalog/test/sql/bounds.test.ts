import { cpSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { Query, Result } from '../../../database/src/sql.js'
import { DATABASE_FILE } from '../../../database/src/sqlite/sqlite-file.js'
import { SqliteSnapshots } from '../../../database/src/sqlite/sqlite-snapshots.js'
import { SearchError, ValidationError } from '../../../protocol/src/errors.js'
import type { IndexChange } from '../../src/index/index-store.js'
import { CATALOG_LIMITS } from '../../src/limits.js'
import { stateQuery } from '../../src/search/answer/find.js'
import { readSearch } from '../../src/search/request/request.js'
import { Searches } from '../../src/search/serving/searches.js'
import type { Search } from '../../src/search/syntax.js'
import { type Catalog, sqliteCatalog } from '../catalog.js'
import { CHAIN, published, SCOPE } from './published.js'

const ALL = readSearch({})
const many = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))
/** Searches of a database file, with their own connections. */
class TestSearches extends Searches {
  private readonly reads: SqliteSnapshots

  constructor(path: string, query: (query: Query) => Promise<Result>, deadline: number) {
    const snapshots = new SqliteSnapshots(path, (error) => error as Error)
    super({ dialect: 'sqlite', query, snapshots }, deadline)
    this.reads = snapshots
  }

  get underWay(): number {
    return this.reads.underWay
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), this.reads.close()])
  }
}

/** Searches that differ, since the same one is made once for all who ask for it. */
const different = (count: number) => many(count, (from) => ({ ...ALL, from }))

/** The index changes of a published asset. */
const changesOf = (at: number, name: string): IndexChange[] =>
  published(at, { name, description: `tide ${at} `.repeat(40), tags: [`t${at}`] }).changes

/** The database with a hundred assets that each test has a copy of. */
const filled = newFolder()
beforeAll(async () => {
  const store = sqliteCatalog(filled)
  const changes = many(100, (at) => changesOf(at + 1, `name ${at}`)).flat()
  await store.index.commit({ chainId: CHAIN, from: undefined, to: { block: 1, hash: '0x1' }, changes })
  await store.close()
})

describe('a search of the embedded database', () => {
  let folder: string
  let store: Catalog
  let block = 0
  const commit = (changes: IndexChange[]) => {
    const from = { block, hash: '0x1' as const }
    return store.index.commit({ chainId: CHAIN, from, to: { block: ++block, hash: '0x1' }, changes })
  }
  beforeEach(() => {
    folder = newFolder()
    cpSync(filled, folder, { recursive: true })
    store = sqliteCatalog(folder)
    block = 1
  })
  afterEach(() => store.close())

  /** The searches of the store, with another deadline, and a connection to its database. */
  function searchesWithin(deadline: number): { searches: TestSearches; db: Database.Database } {
    const path = join(folder, DATABASE_FILE)
    const db = new Database(path)
    const query = async ({ text, values }: Query) => ({
      rows: db.prepare(text).all(values) as Result['rows'],
      changes: 0,
    })
    return { searches: new TestSearches(path, query, deadline), db }
  }
  /** Searches that never end until `heal` is called. */
  function endless(deadline: number): { searches: TestSearches; heal: () => void } {
    const { searches, db } = searchesWithin(deadline)
    db.exec(`ALTER TABLE search_document RENAME TO documents;
      CREATE VIEW search_document AS WITH RECURSIVE every(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM every)
        SELECT d.* FROM documents d WHERE (SELECT max(i) FROM every) > 0`)
    const heal = () => {
      db.exec('DROP VIEW search_document; ALTER TABLE documents RENAME TO search_document')
      db.close()
    }
    return { searches, heal }
  }

  it('reads the state of the index, which holds the event loop, from its few rows and an index of what is not findable', () => {
    const { searches, db } = searchesWithin(300)
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${stateQuery('sqlite').text}`).all([]) as { detail: string }[]
    const read = plan.map(({ detail }) => detail).filter((detail) => /^(?:SCAN|SEARCH)/.test(detail))
    expect(read.length).toBeGreaterThan(1)
    for (const detail of read) expect(detail).toMatch(/^SCAN (?:r\b|g$|CONSTANT ROW)|search_pending_missing/)
    db.close()
    return searches.close()
  })

  it('is aborted at its deadline, and frees its slot', async () => {
    const { searches, heal } = endless(300)
    const ended = await Promise.allSettled(different(10).map((search) => searches.find(search, SCOPE)))
    for (const one of ended) {
      const { reason } = one as PromiseRejectedResult
      expect(reason).toBeInstanceOf(SearchError)
      expect(reason).toMatchObject({ code: 'SEARCH_UNAVAILABLE', message: expect.stringContaining('too long') })
    }
    heal()
    // on a busy machine, any search may take longer than this deadline
    await eventually(async () => (await searches.find(ALL, SCOPE).catch(() => undefined))?.total?.value === 100)
    await searches.close()
  })

  it('is aborted for all who ask for the same, by one deadline', async () => {
    const { searches, heal } = endless(300)
    const ended = await Promise.allSettled(many(10, () => searches.find(ALL, SCOPE)))
    for (const one of ended) expect((one as PromiseRejectedResult).reason).toBeInstanceOf(SearchError)
    heal()
    await searches.close()
  })

  it('is interrupted when the store closes', async () => {
    const { searches, heal } = endless(60_000)
    const running = Promise.allSettled(different(5).map((search) => searches.find(search, SCOPE)))
    while (searches.underWay < 2) await new Promise(setImmediate)
    await searches.close()
    expect((await running).map(({ status }) => status)).toEqual(many(5, () => 'rejected'))
    heal()
  })

  it('takes a body full of values, which a page and its count have in a statement each', async () => {
    // the shorter a value, the more there are: each becomes a token of twenty characters
    const lists = many(16, (list) => ({ terms: { [`metadata.x${list}`]: many(1900, (at) => `v${at}`) } }))
    const words = { query_string: { query: 'tide', fields: ['metadata.name^10', 'metadata.description'] } }
    const body = { query: { bool: { must: [words], must_not: lists } }, size: 3 }
    expect(JSON.stringify(body).length).toBeLessThan(CATALOG_LIMITS.search.body)
    // it takes as long as the machine needs
    const { searches, db } = searchesWithin(200_000)
    const { hits, total } = await searches.find(readSearch(body), SCOPE)
    expect([hits.length, total?.value]).toEqual([3, 100])
    await searches.close()
    db.close()
  })

  it('answers 200 concurrent requests, or sheds load', async () => {
    const { searches, db } = searchesWithin(200_000)
    const answers = await Promise.allSettled(different(200).map((search) => searches.find(search, SCOPE)))
    const found = answers.filter(({ status }) => status === 'fulfilled')
    expect(found.length).toBeGreaterThanOrEqual(60)
    for (const one of answers) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(SearchError)
    expect((await searches.find(ALL, SCOPE)).total?.value).toBe(100)
    await searches.close()
    db.close()
  })

  it('reads a consistent snapshot while batches are committed', async () => {
    const search = readSearch({ size: 1000, query: { query_string: { query: 'round*' } } })
    const seen = new Set<string>()
    let committing = true
    const writing = (async () => {
      // every batch renames all assets in one transaction
      for (let round = 0; seen.size < 3; round++) {
        await commit(many(100, (at) => changesOf(at + 1, `round${round}`)).flat())
        await new Promise(setImmediate)
      }
      committing = false
    })()
    while (committing) {
      const found = await store.search.find(search, SCOPE).catch((error: unknown) => {
        // load may be shed on a busy machine
        if (!(error instanceof SearchError)) throw error
      })
      if (!found || found.total?.value === 0) continue
      const { hits, assets, total } = found
      expect([total?.value, hits.length, assets.size]).toEqual([100, 100, 100])
      const names = new Set(
        [...assets.values()].map(({ metadata }) => JSON.parse(metadata.ddo as string).metadata.name),
      )
      expect([...names]).toHaveLength(1)
      for (const name of names) seen.add(name)
    }
    await writing
  })
})

describe('a search of the embedded database, whatever is asked,', () => {
  let store: Catalog
  // they only read: one database for all of them
  beforeAll(() => {
    store = sqliteCatalog(filled)
  })
  afterAll(() => store.close())

  const clause = (levels: number): object =>
    levels === 0
      ? { match: { 'metadata.name': 'name 1' } }
      : {
          bool: {
            must: [clause(levels - 1)],
            should: [clause(0), { term: { a: 'b' } }],
            must_not: [{ term: { a: 1 } }],
          },
        }
  const HOSTILE: Record<string, object> = {
    'deep clauses': { query: clause(7) },
    'deep parentheses': { query: { query_string: { query: `${'(a OR '.repeat(6)}name${')'.repeat(6)}` } } },
    'alternating signs': { query: { query_string: { query: `${'NOT (a AND '.repeat(3)}name${')'.repeat(3)}` } } },
    'many clauses': { query: { bool: { should: many(255, (at) => ({ term: { 'metadata.tags': `t${at}` } })) } } },
    'many clauses that do not count': {
      query: { bool: { filter: many(255, (at) => ({ term: { 'metadata.tags': `t${at}` } })) } },
    },
    'many excluded': { query: { bool: { must_not: many(255, (at) => ({ term: { 'metadata.tags': `t${at}` } })) } } },
    'many of some': {
      query: { bool: { should: many(100, (at) => ({ match: { a: `w${at}` } })), minimum_should_match: 50 } },
    },
    'many ranges': {
      query: { bool: { filter: many(255, () => ({ range: { 'nft.state': { gte: 0 } } })) } },
    },
    'many ranges or': {
      query: { bool: { should: many(255, () => ({ range: { 'nft.state': { gte: 0 } } })) } },
    },
    'many words': { query: { multi_match: { query: 'tide '.repeat(16), fields: many(64, (at) => `f${at}^${at}`) } } },
    'many values': { query: { terms: { 'metadata.tags': many(2048, (at) => `t${at}`) } } },
    'many ids': { query: { ids: { values: many(2048, (at) => `did:op:${at}`) } } },
    'a phrase of many words': { query: { match_phrase: { 'metadata.description': 'tide 1 '.repeat(40) } } },
    'many beginnings': { query: { query_string: { query: many(16, (at) => `tide${at}*`).join(' ') } } },
    'short beginnings': { query: { query_string: { query: many(200, () => 't*').join(' ') } } },
    'odd characters': { query: { query_string: { query: '\u202e* \ufdfa* \ud83d\ude00* İ* ß* \u0301* ﷽' } } },
    'the last page': { from: 9_000, size: 1000 },
    'sorted by everything': { sort: many(8, (at) => ({ [`metadata.${at}`]: 'asc' })), size: 1000 },
    'aggregations of values that differ': {
      size: 0,
      aggs: Object.fromEntries(many(8, (at) => [`a${at}`, { terms: { field: 'metadata.tags', size: 10_000 } }])),
    },
  }
  it.each(Object.keys(HOSTILE))('accepts or refuses %s', async (name) => {
    let search: Search
    try {
      search = readSearch(HOSTILE[name])
      await store.search.find(search, SCOPE)
    } catch (error) {
      const isAnswered = error instanceof ValidationError || error instanceof SearchError
      expect(isAnswered, String((error as Error).stack)).toBe(true)
    }
    expect(await store.checkHealth()).toBeUndefined()
  })
})
