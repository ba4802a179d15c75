import type { Dialect, Value } from '@tidegate/database'
import type { Condition } from './conditions.js'
import { flat, isOfTitle, isText, onlyExcluded, withoutKind } from './conjunctions.js'
import { Expressions } from './expressions.js'
import { withLongTexts } from './long-texts.js'
import { manyListed } from './many.js'
import { priceCheck, withPrice } from './price-conditions.js'

/** A part of a statement, with `?` for each value. */
export interface Part {
  text: string
  values: Value[]
  /** Whether the text is independent of the search: a look-up in the full-text index alone. */
  isFixed?: boolean
}

/** A common table expression. */
interface Table extends Part {
  /**
   * Whether it is listed once. PostgreSQL lists what a statement excludes once for each partition that is searched: excluded lists of
   * excluded lists would take a power of that.
   */
  isKept: boolean
}

/**
 * Compiles conditions to parts of SQL statements. Documents must also meet `base`. `every` matches all searchable documents, for
 * conditions without a search term. `pricesOfEach`: looks up the first price of each document with the words, instead of a list of all
 * with such prices. `older`: PostgreSQL has rows without titles and tokens of `longTextWord`, of an earlier version.
 */
export class Compiler {
  private readonly expressions: Expressions

  constructor(
    private readonly dialect: Dialect,
    private readonly scope: { base: Condition; every: Condition; older: boolean },
    private readonly pricesOfEach = false,
  ) {
    this.expressions = new Expressions(dialect, scope.every)
  }

  /**
   * Returns a statement that lists the ids of searchable documents that meet a condition as `id`, each once. Inner lists are common
   * table expressions: nested, they would exceed the stack of SQLite's parser.
   */
  documents(condition: Condition): Part {
    const tables: Table[] = []
    const { text, values, isFixed = false } = this.listing(this.searchable(condition), tables)
    if (tables.length === 0) return { text, values, isFixed }
    return {
      text: `WITH ${tables.map((table, at) => `list${at} AS ${table.isKept ? 'MATERIALIZED ' : ''}(${table.text})`).join(', ')} ${text}`,
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

  /**
   * Returns SQL for whether a document meets a condition, by its id; undefined if the full-text index and the first price cannot tell.
   */
  check(condition: Condition): ((id: string) => Part) | undefined {
    const { priced, rest } = withPrice(flat([this.searchable(condition)]))
    if (this.scope.older || !rest.every(isText)) return undefined
    return (id) => {
      const checks = [...this.textCheck(rest, id), ...(priced ? [priceCheck(priced.price, id)] : [])]
      if (checks.length === 0) return { text: '1 = 1', values: [] }
      return { text: checks.map(({ text }) => text).join(' AND '), values: checks.flatMap(({ values }) => values) }
    }
  }

  /** Returns the check of a conjunction in the full-text index, if it needs one. */
  private textCheck(parts: Condition[], id: string): Part[] {
    if (parts.length === 0) return []
    const { match, ofOne } = this.expressions.syntax
    const row = `EXISTS (SELECT 1 FROM search_text WHERE ${ofOne(id)} AND ${match})`
    const excluded = onlyExcluded(parts)
    if (excluded) return [{ text: `NOT ${row}`, values: [this.expressions.text(excluded)] }]
    return [{ text: row, values: [this.expressions.text({ op: 'and', of: parts })] }]
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
  private inner(condition: Condition, tables: Table[], isExcluded = false): Part {
    const list = this.listing(condition, tables)
    if (condition.op === 'listed') return list
    const at = tables.push({ ...list, isKept: isExcluded && this.dialect === 'postgres' }) - 1
    return { text: `SELECT id FROM list${at}`, values: [] }
  }

  private listing(condition: Condition, tables: Table[]): Part {
    if (isText(condition)) return this.matching([condition], [], tables)
    switch (condition.op) {
      case 'listed':
        return condition
      case 'and': {
        const { priced, rest } = withPrice(flat(condition.of))
        const others = rest.filter((one) => !isText(one))
        return this.matching(rest.filter(isText), priced ? [priced, ...others] : others, tables)
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
  private matching(texts: Condition[], others: Condition[], tables: Table[]): Part {
    const { id, listed, match, ofKind, unlisted } = this.expressions.syntax
    const first = others.find((one) => one.op === 'listed')
    const excluded = first && onlyExcluded(flat(texts))
    if (excluded) {
      // all documents are searchable, so that the list needs no look-up of each
      const rest = others.filter((one) => one !== first)
      const text = `SELECT id FROM (${first.text}) AS listed WHERE `
      if (excluded.of.length === 0) return this.inLists(`${text}1 = 1`, first.values, 'id', rest, tables)
      const values = [...first.values, this.expressions.text(excluded)]
      return this.inLists(text + unlisted, values, 'id', rest, tables)
    }
    const { kind, rest } = ofKind ? withoutKind(flat(texts)) : { kind: undefined, rest: texts }
    const { parts, isOfKind } = kind && !this.scope.older ? withLongTexts(kind, rest) : { parts: rest, isOfKind: false }
    const filter = this.filterOf(isOfKind ? undefined : kind)
    const values: Value[] = [this.expressions.text({ op: 'and', of: parts }), ...filter.values]
    const text = `SELECT ${id} AS id FROM search_text WHERE ${match}${filter.text}`
    const { priced, rest: lists } = this.pricesOfEach ? withPrice(others) : { priced: undefined, rest: others }
    if (!priced) return this.inLists(text, values, listed, lists, tables)
    const price = priceCheck(priced.price, `search_text.${id}`)
    return this.inLists(`${text} AND ${price.text}`, [...values, ...price.values], listed, lists, tables)
  }

  /** Adds the lists that must or must not contain a document to a statement. */
  private inLists(text: string, values: Value[], id: string, lists: Condition[], tables: Table[]): Part {
    const all: Part = { text, values: [...values], isFixed: lists.length === 0 }
    for (const list of lists) {
      const isExcluded = list.op === 'not'
      const inside = this.inner(isExcluded ? list.of : list, tables, isExcluded)
      all.text += ` AND ${id} ${isExcluded ? 'NOT IN' : 'IN'} (${inside.text})`
      all.values.push(...inside.values)
    }
    return all
  }
}

function united(parts: Part[], by: string): Part {
  return {
    text: parts.map(({ text }) => `SELECT id FROM (${text}) AS part`).join(by),
    values: parts.flatMap(({ values }) => values),
  }
}
