import type { Dialect, Value } from '@tidegate/database'
import type { Condition, Part } from '../conditions/condition.js'
import { flat, isText, onlyExcluded } from '../conditions/conjunctions.js'
import { priceCheck, withPrice } from '../conditions/price-conditions.js'
import { Expressions } from './expressions.js'
import { manyListed } from './many.js'

/** A common table expression. */
interface Table extends Part {
  /**
   * Whether it is listed once. Otherwise PostgreSQL lists what a statement excludes once for each searched partition, and nested exclusions
   * multiply.
   */
  isKept: boolean
}

/**
 * Compiles conditions to parts of SQL statements. Documents must also meet `base`. `every` matches all searchable documents, for
 * conditions without a search term. `pricesOfEach`: looks up the first price of each document with the words, instead of a list of all
 * with such prices.
 */
export class Compiler {
  private readonly expressions: Expressions

  constructor(
    private readonly dialect: Dialect,
    private readonly scope: { base: Condition; every: Condition },
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
   * Returns SQL for whether a document meets a condition, by its id; undefined if the full-text index and the first price cannot tell.
   */
  check(condition: Condition): ((id: string) => Part) | undefined {
    const { priced, rest } = withPrice(flat([this.searchable(condition)]))
    if (!rest.every(isText)) return undefined
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
    // `flat` comes first: it cannot see what a list of many alternatives implies
    const all: Condition = { op: 'and', of: flat([this.scope.base, condition]) }
    return this.dialect === 'postgres' ? manyListed(all, (one) => this.expressions.text(one)) : all
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
    const { id, idInLists, match, unlisted } = this.expressions.syntax
    const first = others.find((one) => one.op === 'listed')
    const excluded = first && onlyExcluded(flat(texts))
    if (excluded) {
      // nothing has to be found: `base` has no token of a generation (scopeOf), so that the list needs no look-up of each
      const rest = others.filter((one) => one !== first)
      const text = `SELECT id FROM (${first.text}) AS included WHERE `
      if (excluded.of.length === 0) return this.inLists(`${text}1 = 1`, first.values, 'id', rest, tables)
      const values = [...first.values, this.expressions.text(excluded)]
      return this.inLists(text + unlisted, values, 'id', rest, tables)
    }
    const values = [this.expressions.text({ op: 'and', of: texts })]
    const text = `SELECT ${id} AS id FROM search_text WHERE ${match}`
    const { priced, rest: lists } = this.pricesOfEach ? withPrice(others) : { priced: undefined, rest: others }
    if (!priced) return { ...this.inLists(text, values, idInLists, lists, tables), isFixed: lists.length === 0 }
    const price = priceCheck(priced.price, `search_text.${id}`)
    return this.inLists(`${text} AND ${price.text}`, [...values, ...price.values], idInLists, lists, tables)
  }

  /** Adds the lists that must or must not contain a document to a statement. */
  private inLists(text: string, values: Value[], id: string, lists: Condition[], tables: Table[]): Part {
    const all: Part = { text, values: [...values] }
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
