import { describe, expect, it } from 'vitest'
import { runScript } from '../../../database/src/script.js'
import { find } from './answer/find.js'
import { fieldWord } from './conditions/tokens.js'
import { readSearch } from './request/request.js'

const SEARCH = readSearch({
  query: {
    bool: {
      must: [{ multi_match: { query: 'tide', fields: ['metadata.name', 'metadata.description'] } }],
      filter: [{ term: { chainId: 7 } }, { term: { 'metadata.type': 'dataset' } }],
    },
  },
})
const LIVE = { id: 7, chain: 7, role: 'live' }

/** Returns the full-text expression of the first search statement, for these generations of the index. */
async function lookedFor(generations: (typeof LIVE)[]): Promise<string> {
  let expression: unknown
  const state = JSON.stringify(generations.map(({ id, chain, role }) => [id, chain, role, 1, 0]))
  const scope = { chains: [7, 8], encrypted: true, purgatory: [] }
  await runScript(find(SEARCH, scope, 'sqlite'), async ({ text, values }) => {
    if (text.includes('index_reading')) return { rows: [{ state }], changes: 0 }
    expression ??= values[0]
    return { rows: [], changes: 0 }
  })
  return expression as string
}

describe('the full-text expression', () => {
  const type = `"${fieldWord('metadata.type', 'dataset')}"`
  it('omits conditions that every document meets', async () => {
    const expression = await lookedFor([LIVE])
    expect(expression).toBe(`({text0 text1} : "atide" AND ${type})`)
  })

  it('contains the generation if there are several', async () => {
    for (const other of [
      { ...LIVE, id: -1, role: 'next' },
      { ...LIVE, id: -1, role: 'old' },
      { ...LIVE, id: 8, chain: 8 },
    ]) {
      const expression = await lookedFor([LIVE, other])
      expect(expression).toContain('"g7"')
      expect(expression).toContain(type)
    }
  })
})

describe('the expressions of PostgreSQL', () => {
  const fields = ['metadata.name^10', 'metadata.author', 'metadata.description', 'metadata.tags']
  /** Returns the values of the first search statement. */
  async function values(search: object): Promise<unknown[]> {
    const state = JSON.stringify([[LIVE.id, LIVE.chain, LIVE.role, 1, 0]])
    let found: unknown[] | undefined
    const filter = [{ term: { 'metadata.type': 'dataset' } }]
    const read = readSearch({ query: { bool: { must: [search], filter } } })
    const scope = { chains: [7], encrypted: true, purgatory: [] }
    await runScript(find(read, scope, 'postgres'), async ({ text, values }) => {
      if (text.includes('index_reading')) return { rows: [{ state }], changes: 0 }
      found ??= values
      return { rows: [{ n: 0 }], changes: 0 }
    })
    return found ?? []
  }

  it('have at most 32 alternatives each', async () => {
    const lists = ['a', 'b'].map((own) => ({
      terms: { 'metadata.tags': Array.from({ length: 1000 }, (_, at) => `${own} ${at}`) },
    }))
    const words = { query_string: { query: Array.from({ length: 12 }, (_, at) => `tide${at}`).join(' OR '), fields } }
    for (const search of [...lists, words, { bool: { must_not: [...lists, words] } }, { bool: { should: lists } }]) {
      const queries = (await values(search))
        .filter((value) => typeof value === 'string')
        .flatMap((one) => one.split(','))
      for (const query of queries) expect(query.split('|').length).toBeLessThanOrEqual(32)
    }
  })

  it('merge many negations into one list', async () => {
    const lists = Array.from({ length: 200 }, (_, list) => ({
      terms: { 'metadata.tags': Array.from({ length: 30 }, (_, at) => `${list} ${at}`) },
    }))
    const listed = (await values({ bool: { must_not: lists } })).filter((value) => /^\{"/.test(String(value)))
    expect(listed).toHaveLength(1)
    // each value has two tokens: exact in lower case, and folded
    expect(String(listed[0]).split(',')).toHaveLength(Math.ceil((2 * 200 * 30) / 32))
  })
})

describe('the statements', () => {
  const page = JSON.stringify([[LIVE.id, LIVE.chain, LIVE.role, 1, 0]])
  const statements = async (counts: unknown) => {
    const texts: string[] = []
    // hits of the greatest score alone fill a page
    const query = { multi_match: { query: 'tide', fields: ['metadata.name^10', 'metadata.description'] } }
    const search = readSearch({ query, track_total_hits: counts })
    await runScript(find(search, { chains: [7], encrypted: true, purgatory: [] }, 'sqlite'), async ({ text }) => {
      texts.push(text)
      return { rows: text.includes('index_reading') ? [{ state: page }] : [], changes: 0 }
    })
    return texts.join('\n')
  }

  it.each([
    'sqlite',
    'postgres',
  ] as const)('of %s look up each part of a score without the query that it implies', async (dialect) => {
    const should = Array.from({ length: 60 }, (_, at) => ({ match: { 'metadata.name': `tide${at}` } }))
    let [expression, longest] = [0, 0]
    const found = find(
      readSearch({ query: { bool: { should } } }),
      { chains: [7], encrypted: true, purgatory: [] },
      dialect,
    )
    await runScript(found, async ({ text, values }) => {
      if (text.includes('index_reading')) return { rows: [{ state: page }], changes: 0 }
      const size = values.reduce<number>((sum, value) => sum + String(value).length, 0)
      if (text.includes('AS counted')) expression = size
      longest = Math.max(longest, size)
      return { rows: text.includes('AS counted') ? [{ n: 1 }] : [], changes: 0 }
    })
    expect(expression).toBeGreaterThan(60 * 'tide'.length)
    // all hits, and each part once
    expect(longest).toBeLessThan(3 * expression)
  })

  // PostgreSQL always counts: the number decides how it reads a page
  it('of SQLite count hits only on request', async () => {
    for (const counts of [undefined, true, 0, 100]) expect(await statements(counts)).toContain('AS counted')
    expect(await statements(false)).not.toContain('AS counted')
  })
})
