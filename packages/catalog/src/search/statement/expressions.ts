import type { Dialect } from '@tidegate/database'
import type { Condition } from '../conditions/condition.js'
import { flat } from '../conditions/conjunctions.js'
import { ALL, anyWord, columnOf, fieldWord, NOTHING } from '../conditions/tokens.js'
import { sliceIn } from '../tables/rows.js'

/** The full-text query syntax by dialect. Tokens consist of letters and digits. */
const DIALECTS = {
  sqlite: {
    id: 'rowid',
    // the plus prevents a look-up in the full-text index for each document of the list
    idInLists: '+rowid',
    match: 'search_text MATCH ?',
    unlisted: 'id NOT IN (SELECT rowid FROM search_text WHERE search_text MATCH ?)',
    ofOne: (id: string) => `rowid = ${id}`,
    token: (token: string) => `"${token}"`,
    words: (path: string, words: string[], prefix: boolean) => {
      const tokens = words.map((word) => (path === ALL ? anyWord(word) : fieldWord(path, word)))
      return `"${tokens.join(' ')}"${prefix ? ' *' : ''}`
    },
    // one look-up in all columns, since a word has the same token in each
    inColumns: (columns: string[], words: string[], prefix: boolean) =>
      `{${columns.join(' ')}} : "${words.map(anyWord).join(' ')}"${prefix ? ' *' : ''}`,
    and: ' AND ',
    or: ' OR ',
    without: (found: string, not: string[]) => `(${found}) NOT (${not.join(' OR ')})`,
  },
  postgres: {
    id: 'id',
    idInLists: 'id',
    match: 'tsv @@ CAST(? AS tsquery)',
    // a join, since NOT IN compares each with all if these exceed the memory of a statement. OFFSET 0: listed once, not looked up by each id
    unlisted: `NOT EXISTS (SELECT 1 FROM (SELECT t.id FROM search_text t WHERE t.tsv @@ CAST(? AS tsquery) OFFSET 0) AS excluded
      WHERE excluded.id = included.id)`,
    ofOne: (id: string) => `id = ${id} AND slice = ${sliceIn(id)}`,
    token: (token: string) => `'${token}'`,
    words: (path: string, words: string[], prefix: boolean) => {
      const tokens = words.map((word) => `'${path === ALL ? anyWord(word) : fieldWord(path, word)}'`)
      return `(${tokens.join(' <-> ')}${prefix ? ':*' : ''})`
    },
    and: ' & ',
    or: ' | ',
    without: (found: string, not: string[]) => `(${found}) & !(${not.join(' | ')})`,
    inColumns: undefined,
  },
} as const satisfies Record<Dialect, object>

/** Writes full-text expressions. `every` matches all searchable documents. */
export class Expressions {
  readonly syntax
  /** Expressions by their condition: each part of a score is looked up with the whole query. */
  private readonly known = new WeakMap<Condition, string>()

  constructor(
    dialect: Dialect,
    private readonly every: Condition,
  ) {
    this.syntax = DIALECTS[dialect]
  }

  /** Returns expressions for alternatives. Merges the same words in several columns into one. */
  private alternatives(of: Condition[]): string[] {
    const { words, inColumns } = this.syntax
    const columns = new Map<string, { columns: string[]; words: string[]; prefix: boolean }>()
    const others: string[] = []
    for (const one of of) {
      const column = inColumns && one.op === 'words' ? columnOf(one.path) : undefined
      if (one.op !== 'words') others.push(this.text(one))
      else if (column === undefined) others.push(words(one.path, one.words, one.prefix))
      else {
        const key = `${one.prefix} ${one.words.join(' ')}`
        const known = columns.get(key)
        if (known) known.columns.push(column)
        else columns.set(key, { columns: [column], words: one.words, prefix: one.prefix })
      }
    }
    const together = [...columns.values()].map((one) => inColumns?.(one.columns, one.words, one.prefix) as string)
    return [...together, ...others]
  }

  /** Returns the full-text expression of a condition. */
  text(condition: Condition): string {
    const text = this.known.get(condition) ?? this.written(condition)
    this.known.set(condition, text)
    return text
  }

  private written(condition: Condition): string {
    const { syntax } = this
    switch (condition.op) {
      case 'token':
        return syntax.token(condition.token)
      case 'words':
        return this.alternatives([condition]).join('')
      case 'or': {
        const parts = this.alternatives(condition.of)
        return parts.length === 0
          ? syntax.token(NOTHING)
          : parts.length === 1
            ? (parts[0] as string)
            : `(${parts.join(syntax.or)})`
      }
      case 'not':
        return this.text({ op: 'and', of: [condition] })
      case 'and': {
        const parts = flat(condition.of)
        const not = parts.flatMap((one) => (one.op === 'not' ? [this.text(one.of)] : []))
        const found = parts.flatMap((one) => (one.op === 'not' ? [] : [this.text(one)]))
        // a negation alone cannot be looked up
        const all = found.length > 0 ? found.join(syntax.and) : this.text(this.every)
        return not.length > 0 ? `(${syntax.without(all, not)})` : `(${all})`
      }
      default:
        throw new Error('A list is no part of a full-text expression.')
    }
  }
}
