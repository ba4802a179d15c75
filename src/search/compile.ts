import type { Dialect } from '../state/dialect.js'
import type { Value } from '../state/sql.js'
import type { Condition } from './conditions.js'
import { ALL, anyWord, columnOf, fieldWord, NOTHING } from './tokens.js'

/** A part of a statement, with `?` for each of its values. */
export interface Part {
  text: string
  values: Value[]
  /** Whether the text is the same for every such part: a look-up in the full-text index alone. */
  isFixed?: boolean
}

/** The full-text query syntax of each database. Tokens consist of letters and digits. */
const DIALECTS = {
  sqlite: {
    id: 'rowid',
    // the plus prevents the database from looking up every document of the list in the full-text index
    listed: '+rowid',
    match: 'search_text MATCH ?',
    ofKind: undefined,
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
    listed: 'id',
    match: 'tsv @@ CAST(? AS tsquery)',
    ofKind: '(kind = ? OR kind IS NULL AND tsv @@ CAST(? AS tsquery))',
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

/**
 * Compiles conditions to parts of SQL statements. Documents must also meet `base`; `every` matches all searchable
 * documents, for conditions without a search term.
 */
export class Compiler {
  private readonly words

  constructor(
    dialect: Dialect,
    private readonly scope: { base: Condition; every: Condition },
  ) {
    this.words = DIALECTS[dialect]
  }

  /**
   * A statement that lists the ids of the searchable documents that meet a condition as `id`, each once. Lists within lists
   * are its tables, one after the other: nested, they would exceed the stack of SQLite's parser, which has 100 places.
   */
  documents(condition: Condition): Part {
    const tables: Part[] = []
    const { text, values, isFixed = false } = this.listing({ op: 'and', of: [this.scope.base, condition] }, tables)
    if (tables.length === 0) return { text, values, isFixed }
    return {
      text: `WITH ${tables.map((table, at) => `list${at} AS (${table.text})`).join(', ')} ${text}`,
      values: [...tables.flatMap((table) => table.values), ...values],
    }
  }

  /** A list within another one. */
  private inner(condition: Condition, tables: Part[]): Part {
    const list = this.listing(condition, tables)
    if (condition.op === 'listed') return list
    const at = tables.push(list) - 1
    return { text: `SELECT id FROM list${at}`, values: [] }
  }

  private listing(condition: Condition, tables: Part[]): Part {
    if (isText(condition)) return this.matching([condition], [], tables)
    switch (condition.op) {
      case 'listed':
        return condition
      case 'and': {
        const parts = flat(condition.of)
        return this.matching(
          parts.filter(isText),
          parts.filter((one) => !isText(one)),
          tables,
        )
      }
      case 'or': {
        const texts = condition.of.filter(isText)
        const others = condition.of.filter((one) => !isText(one)).map((one) => this.inner(one, tables))
        return united(
          [...(texts.length > 0 ? [this.inner({ op: 'or', of: texts }, tables)] : []), ...others],
          ' UNION ',
        )
      }
      case 'least': {
        const { text, values } = united(
          condition.of.map((one) => this.inner(one, tables)),
          ' UNION ALL ',
        )
        return {
          text: `SELECT id FROM (${text}) AS one GROUP BY id HAVING count(*) >= ?`,
          values: [...values, condition.count],
        }
      }
      default:
        return this.matching([], [condition], tables)
    }
  }

  /** Documents by the full-text index, filtered by lists that must or must not contain them. */
  private matching(texts: Condition[], others: Condition[], tables: Part[]): Part {
    const { id, listed, match, ofKind } = this.words
    const { kind, rest } = ofKind ? withoutKind(flat(texts)) : { kind: undefined, rest: texts }
    const values: Value[] = [this.text({ op: 'and', of: rest })]
    let text = `SELECT ${id} AS id FROM search_text WHERE ${match}`
    if (kind) {
      text += ` AND ${ofKind}`
      values.push(kind.word, this.text(kind))
    }
    for (const other of others) {
      const inside = this.inner(other.op === 'not' ? other.of : other, tables)
      text += ` AND ${listed} ${other.op === 'not' ? 'NOT IN' : 'IN'} (${inside.text})`
      values.push(...inside.values)
    }
    return { text, values, isFixed: others.length === 0 }
  }

  /** Expressions for alternatives; the same words in several fields with columns are merged into one. */
  private alternatives(of: Condition[]): string[] {
    const { words, inColumns } = this.words
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

  /** The expression of the full-text index for a condition. */
  private text(condition: Condition): string {
    const { words } = this
    switch (condition.op) {
      case 'token':
        return words.token(condition.token)
      case 'words':
        return this.alternatives([condition]).join('')
      case 'kind':
        return this.text(condition.by)
      case 'or': {
        const parts = this.alternatives(condition.of)
        return parts.length === 0
          ? words.token(NOTHING)
          : parts.length === 1
            ? (parts[0] as string)
            : `(${parts.join(words.or)})`
      }
      case 'not':
        return this.text({ op: 'and', of: [condition] })
      case 'and': {
        const parts = flat(condition.of)
        const not = parts.flatMap((one) => (one.op === 'not' ? [this.text(one.of)] : []))
        const found = parts.flatMap((one) => (one.op === 'not' ? [] : [this.text(one)]))
        // a negation alone cannot be looked up
        const all = found.length > 0 ? found.join(words.and) : this.text(this.scope.every)
        return not.length > 0 ? `(${words.without(all, not)})` : `(${all})`
      }
      default:
        throw new Error('A list is no part of a full-text expression.')
    }
  }
}

/** Flattens a conjunction, and drops alternatives that another part already implies. */
function flat(of: Condition[]): Condition[] {
  const parts = spread(of)
  if (!parts.some(({ op }) => op === 'or')) return parts
  const known = new Set(parts.map((one) => JSON.stringify(one)))
  return parts.filter((one) => one.op !== 'or' || !one.of.some((part) => known.has(JSON.stringify(part))))
}

function spread(of: Condition[]): Condition[] {
  return of.flatMap((one) => (one.op === 'and' || (one.op === 'or' && one.of.length === 1) ? spread(one.of) : [one]))
}

/** Takes a kind out of a conjunction that can be looked up without it. */
function withoutKind(parts: Condition[]) {
  const kind = parts.find((one) => one.op === 'kind')
  const rest = parts.filter((one) => one !== kind)
  return kind && rest.some((one) => one.op !== 'not') ? { kind, rest } : { kind: undefined, rest: parts }
}

/** Whether the full-text index alone can answer a condition. */
function isText(condition: Condition): boolean {
  switch (condition.op) {
    case 'listed':
    case 'least':
      return false
    case 'and':
    case 'or':
      return condition.of.every(isText)
    case 'not':
      return isText(condition.of)
    default:
      return true
  }
}

function united(parts: Part[], by: string): Part {
  return {
    text: parts.map(({ text }) => `SELECT id FROM (${text}) AS part`).join(by),
    values: parts.flatMap(({ values }) => values),
  }
}
