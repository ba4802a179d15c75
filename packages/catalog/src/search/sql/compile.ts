import type { Dialect, Value } from '@tidegate/database'
import type { Condition } from './conditions.js'
import { flat, isOfTitle, isText, withoutKind } from './conjunctions.js'
import { Expressions } from './expressions.js'
import { withLongTexts } from './long-texts.js'
import { manyListed } from './many.js'

/** A part of a statement, with `?` for each value. */
export interface Part {
  text: string
  values: Value[]
  /** Whether the text is independent of the search: a look-up in the full-text index alone. */
  isFixed?: boolean
}

/**
 * Compiles conditions to parts of SQL statements. Documents must also meet `base`. `every` matches all searchable documents, for
 * conditions without a search term. `older`: PostgreSQL has rows without titles and tokens of `longTextWord`, of an earlier version.
 */
export class Compiler {
  private readonly expressions: Expressions

  constructor(
    private readonly dialect: Dialect,
    private readonly scope: { base: Condition; every: Condition; older: boolean },
  ) {
    this.expressions = new Expressions(dialect, scope.every)
  }

  /**
   * Returns a statement that lists the ids of searchable documents that meet a condition as `id`, each once. Inner lists are common
   * table expressions: nested, they would exceed the stack of SQLite's parser.
   */
  documents(condition: Condition): Part {
    const tables: Part[] = []
    const { text, values, isFixed = false } = this.listing(this.searchable(condition), tables)
    if (tables.length === 0) return { text, values, isFixed }
    return {
      text: `WITH ${tables.map((table, at) => `list${at} AS (${table.text})`).join(', ')} ${text}`,
      values: [...tables.flatMap((table) => table.values), ...values],
    }
  }

  /**
   * Like `documents`, but with the words of names first, for statements that read documents in order: PostgreSQL reads a name much
   * faster than all tokens. Undefined if names do not narrow the condition.
   */
  inTitles(condition: Condition): Part | undefined {
    const parts = flat([this.searchable(condition)])
    if (!this.expressions.syntax.ofKind || this.scope.older || !parts.every(isText)) return undefined
    const { kind, rest } = withoutKind(parts)
    const titles = rest.filter(isOfTitle)
    const others = rest.filter((part) => !titles.includes(part))
    if (titles.length === 0) return undefined
    const filter = this.filterOf(kind)
    let text = `SELECT id FROM search_text WHERE title @@ CAST(? AS tsquery)${filter.text}`
    const values: Value[] = [this.expressions.text({ op: 'and', of: titles }), ...filter.values]
    if (others.length > 0) {
      // this form prevents the use of an index
      text += ' AND (tsv @@ CAST(? AS tsquery)) IS TRUE'
      values.push(this.expressions.text({ op: 'and', of: others }))
    }
    return { text, values, isFixed: true }
  }

  /** Returns SQL for whether a searchable document meets a condition, by its id; undefined if the full-text index alone cannot tell. */
  check(condition: Condition): ((id: string) => Part) | undefined {
    const parts = flat([this.searchable(condition)])
    if (this.scope.older || !parts.every(isText)) return undefined
    const { match, ofOne } = this.expressions.syntax
    const values = [this.expressions.text({ op: 'and', of: parts })]
    return (id) => ({ text: `EXISTS (SELECT 1 FROM search_text WHERE ${ofOne(id)} AND ${match})`, values })
  }

  /** Returns a condition combined with `base`. */
  private searchable(condition: Condition): Condition {
    const all: Condition = { op: 'and', of: [this.scope.base, condition] }
    return this.dialect === 'postgres' ? manyListed(all, (one) => this.expressions.text(one)) : all
  }

  /** Returns the filter of a statement by the kind of each document. */
  private filterOf(kind: Extract<Condition, { op: 'kind' }> | undefined): Part {
    if (!kind) return { text: '', values: [] }
    return { text: ` AND ${this.expressions.syntax.ofKind}`, values: [kind.word, this.expressions.text(kind)] }
  }

  /** Returns an inner list. Adds its table to `tables`. */
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

  /** Lists documents by the full-text index, filtered by lists that must or must not contain them. */
  private matching(texts: Condition[], others: Condition[], tables: Part[]): Part {
    const { id, listed, match, ofKind } = this.expressions.syntax
    const { kind, rest } = ofKind ? withoutKind(flat(texts)) : { kind: undefined, rest: texts }
    const { parts, isOfKind } = kind && !this.scope.older ? withLongTexts(kind, rest) : { parts: rest, isOfKind: false }
    const filter = this.filterOf(isOfKind ? undefined : kind)
    const values: Value[] = [this.expressions.text({ op: 'and', of: parts }), ...filter.values]
    let text = `SELECT ${id} AS id FROM search_text WHERE ${match}${filter.text}`
    for (const other of others) {
      const inside = this.inner(other.op === 'not' ? other.of : other, tables)
      text += ` AND ${listed} ${other.op === 'not' ? 'NOT IN' : 'IN'} (${inside.text})`
      values.push(...inside.values)
    }
    return { text, values, isFixed: others.length === 0 }
  }
}

function united(parts: Part[], by: string): Part {
  return {
    text: parts.map(({ text }) => `SELECT id FROM (${text}) AS part`).join(by),
    values: parts.flatMap(({ values }) => values),
  }
}
