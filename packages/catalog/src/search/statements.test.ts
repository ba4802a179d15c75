import { describe, expect, it } from 'vitest'
import { runScript } from '../../../database/src/script.js'
import { readSearch } from './request/request.js'
import { find } from './sql/find.js'
import { planOf } from './sql/plan.js'
import { fieldWord, longTextWord } from './sql/tokens.js'

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
  async function values(search: object, kind: object = { 'metadata.type': 'dataset' }, older = 0): Promise<unknown[]> {
    const state = JSON.stringify([[LIVE.id, LIVE.chain, LIVE.role, 1, 0, older]])
    let found: unknown[] | undefined
    const read = readSearch({ query: { bool: { must: [search], filter: [{ term: kind }] } } })
    const scope = { chains: [7], encrypted: true, purgatory: [] }
    await runScript(find(read, scope, 'postgres'), async ({ text, values }) => {
      if (text.includes('index_reading')) return { rows: [{ state }], changes: 0 }
      found ??= values
      return { rows: [{ n: 0, did: null, up_to0: 0 }], changes: 0 }
    })
    return found ?? []
  }
  const tide = (more: object = {}) => ({ query_string: { query: 'tide', fields, ...more } })
  const merged = `'${longTextWord(0, 'dataset', 'tide')}'`

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

  it('have one token for a word in the long texts of a kind, which implies the kind', async () => {
    const all = await values(tide())
    // once to list the hits, and once to count them
    expect(all.filter((value) => value === `(${merged})`)).toHaveLength(2)
    // the kind is checked only for names
    expect(all.filter((value) => value === 'dataset')).toHaveLength(2)
  })

  it('have that token together with other fields', async () => {
    const others = await values(tide({ fields: [...fields, 'nft.name'] }))
    expect(others.join(' ')).toContain(`('${fieldWord('nft.name', 'tide')}') | ${merged})`)
    // the other field implies no kind
    expect(others.filter((value) => value === 'dataset')).toHaveLength(4)
  })

  it('use names alone if these decide, but not for documents without a word', () => {
    const named = (query: string) => ({ match: { 'metadata.name': query } })
    const inTitles = (query: object) => {
      const live = { id: 7, chainId: 7, role: 'live', building: false, older: false }
      const plan = planOf(readSearch({ query }), { chains: [7], encrypted: true, purgatory: [] }, 'postgres', [live])
      return plan.inTitles({ op: 'and', of: [] })?.values
    }
    const [tide, ocean] = ['tide', 'ocean'].map((word) => `'${fieldWord('metadata.name', word)}'`)
    expect(inTitles({ bool: { must: [named('tide')], must_not: [named('ocean')] } })).toEqual([
      `((${tide}))`,
      expect.stringContaining(`!((${ocean}))`),
    ])
    const without = { bool: { must_not: [named('ocean')] } }
    expect(inTitles({ bool: { should: [named('tide'), without] } })).toBeUndefined()
    expect(inTitles({ match: { 'metadata.description': 'tide' } })).toBeUndefined()
  })

  it.each<[string, object, object?, number?]>([
    ['a field is missing', tide({ fields: fields.slice(1) })],
    ['the term is a prefix', tide({ query: 'tide*' })],
    ['the term is a phrase', tide({ query: '"high tide"' })],
    ['the kind is another one', tide(), { 'metadata.type': 'service' }],
    ['the kind is case-sensitive', tide(), { 'metadata.type.keyword': 'dataset' }],
    ['some rows are of an earlier version', tide(), { 'metadata.type': 'dataset' }, 1],
  ])('have the words of each field if %s', async (_, ...search) => {
    const all = (await values(...search)).join(' ')
    expect(all).toContain(fieldWord('metadata.description', 'tide'))
    expect(all).not.toContain(`'t0`)
  })
})

describe('the statements', () => {
  const page = JSON.stringify([[LIVE.id, LIVE.chain, LIVE.role, 1, 0]])
  const statements = async (dialect: 'sqlite' | 'postgres', counts: unknown) => {
    const texts: string[] = []
    // hits of the greatest score alone fill a page
    const query = { multi_match: { query: 'tide', fields: ['metadata.name^10', 'metadata.description'] } }
    const search = readSearch({ query, track_total_hits: counts })
    await runScript(find(search, { chains: [7], encrypted: true, purgatory: [] }, dialect), async ({ text }) => {
      texts.push(text)
      return { rows: text.includes('index_reading') ? [{ state: page }] : [], changes: 0 }
    })
    return texts.join('\n')
  }

  it.each(['sqlite', 'postgres'] as const)('count hits only on request: %s', async (dialect) => {
    for (const counts of [undefined, true, 0, 100]) expect(await statements(dialect, counts)).toContain('AS counted')
    expect(await statements(dialect, false)).not.toContain('AS counted')
  })
})
