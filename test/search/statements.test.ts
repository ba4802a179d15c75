import { describe, expect, it } from 'vitest'
import { find } from '../../src/search/find.js'
import { readSearch } from '../../src/search/request.js'
import { fieldWord } from '../../src/search/tokens.js'
import { runScript } from '../../src/state/script.js'

const SEARCH = readSearch({
  query: {
    bool: {
      must: [{ multi_match: { query: 'tide', fields: ['metadata.name', 'metadata.description'] } }],
      filter: [{ term: { chainId: 7 } }, { term: { 'metadata.type': 'dataset' } }],
    },
  },
})
const LIVE = { id: 7, chain: 7, role: 'live' }

/** The full-text expression of the first search statement, for these generations of the index. */
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
  it('leaves out conditions that every document meets', async () => {
    const expression = await lookedFor([LIVE])
    expect(expression).toBe(`({text0 text1} : "atide" AND ${type})`)
  })

  it('contains the generation if there are others, or several chains', async () => {
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

describe('the statements', () => {
  const page = JSON.stringify([[LIVE.id, LIVE.chain, LIVE.role, 1, 0]])
  const statements = async (dialect: 'sqlite' | 'postgres', counts: unknown) => {
    const texts: string[] = []
    // of several scores, those of the best alone fill a page
    const query = { multi_match: { query: 'tide', fields: ['metadata.name^10', 'metadata.description'] } }
    const search = readSearch({ query, track_total_hits: counts })
    await runScript(find(search, { chains: [7], encrypted: true, purgatory: [] }, dialect), async ({ text }) => {
      texts.push(text)
      return { rows: text.includes('index_reading') ? [{ state: page }] : [], changes: 0 }
    })
    return texts.join('\n')
  }

  it.each(['sqlite', 'postgres'] as const)('count hits where the caller asks for it only: %s', async (dialect) => {
    for (const counts of [undefined, true, 0, 100]) expect(await statements(dialect, counts)).toContain('AS counted')
    expect(await statements(dialect, false)).not.toContain('AS counted')
  })
})
