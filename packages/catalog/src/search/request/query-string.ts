import { phraseOf } from '../documents/words.js'
import type { Clause, Field } from '../syntax.js'
import { bool, boosted, EVERYTHING, eachWord, NOTHING, phrase } from './clauses.js'
import { type Lexeme, lexemesOf } from './lexemes.js'
import { leastOf, type QueryReader, withoutKeyword } from './query-reader.js'

export interface QueryStringOptions {
  fields: Field[]
  operator: 'and' | 'or'
  /** The rule of `leastOf` for top-level alternatives. */
  least: unknown
  reader: QueryReader
}

type Occurs = 'should' | 'must' | 'not'

interface Part {
  occurs: Occurs
  /** Undefined without a search term, as for a lone dash. */
  clause: Clause | undefined
}

/**
 * Parses a query string: words, "phrases", field:value, AND, OR, NOT, + and -, parentheses, `*` at the end of a word,
 * and characters escaped with a backslash. NOT binds tighter than AND, AND tighter than OR. Throws ValidationError.
 */
export function parseQueryString(text: string, options: QueryStringOptions): Clause {
  return new Parser(lexemesOf(text, options.reader), options).whole()
}

class Parser {
  private at = 0

  constructor(
    private readonly lexemes: Lexeme[],
    private readonly options: QueryStringOptions,
  ) {}

  whole(): Clause {
    const clause = this.alternatives(this.options.fields, true)
    if (this.at < this.lexemes.length)
      throw this.options.reader.refuse('The query string closes a parenthesis too many.')
    return clause ?? NOTHING
  }

  /** Parses parts of which one must match, unless operators require more. */
  private alternatives(fields: Field[], top = false): Clause | undefined {
    const parts: Part[] = []
    while (this.at < this.lexemes.length && this.sign() !== ')') {
      if (this.take('or')) continue
      parts.push(this.conjunction(fields))
    }
    return this.together(parts, top ? this.options.least : undefined)
  }

  private conjunction(fields: Field[]): Part {
    const parts = [this.part(fields)]
    const isAnd = this.options.operator === 'and'
    for (;;) {
      const sign = this.sign()
      if (this.at >= this.lexemes.length || sign === ')' || sign === 'or') break
      if (!this.take('and') && !isAnd) break
      if (this.at < this.lexemes.length && this.sign() !== ')') parts.push(this.part(fields))
    }
    if (parts.length === 1) return parts[0] as Part
    const all = parts.map(({ occurs, clause }): Part => ({ occurs: occurs === 'not' ? 'not' : 'must', clause }))
    return { occurs: 'should', clause: this.together(all, undefined) }
  }

  private part(fields: Field[]): Part {
    if (this.take('not')) {
      const { occurs, clause } = this.options.reader.inside(() => this.part(fields))
      return { occurs: occurs === 'not' ? 'should' : 'not', clause }
    }
    if (this.take('must')) return { ...this.options.reader.inside(() => this.part(fields)), occurs: 'must' }
    const lexeme = this.lexemes[this.at]
    if (!lexeme) return { occurs: 'should', clause: undefined }
    this.at += 1
    const clause = this.clauseOf(lexeme, fields)
    const weight = this.lexemes[this.at]
    if (!weight || !('weight' in weight)) return { occurs: 'should', clause }
    this.at += 1
    return { occurs: 'should', clause: clause && boosted(clause, weight.weight) }
  }

  private clauseOf(lexeme: Lexeme, fields: Field[]): Clause | undefined {
    const { reader } = this.options
    if ('weight' in lexeme) throw reader.refuse('A weight in the query string stands behind nothing.')
    if ('field' in lexeme) return this.inField(lexeme.field)
    if ('text' in lexeme) return this.lookFor(lexeme, fields)
    if (lexeme.sign !== '(') throw reader.refuse('An operator in the query string stands between nothing.')
    return reader.inside(() => {
      const clause = this.alternatives(fields)
      if (!this.take(')')) throw reader.refuse('A parenthesis in the query string has no end.')
      return clause
    })
  }

  private inField(name: string): Clause | undefined {
    const { reader } = this.options
    const lexeme = this.lexemes[this.at]
    if (!lexeme || (!('text' in lexeme) && !('sign' in lexeme && lexeme.sign === '(')))
      throw reader.refuse('A field in the query string has no value.')
    this.at += 1
    if (name === '_exists_' && 'text' in lexeme) {
      reader.clause()
      return { kind: 'exists', path: withoutKeyword(reader.path(lexeme.text, '_exists_')).path, boost: 1 }
    }
    const { path, exact } = withoutKeyword(reader.path(name, 'query_string'))
    if (exact && 'text' in lexeme && !lexeme.prefix) {
      reader.clause()
      return { kind: 'values', path, values: [lexeme.text], exact, boost: 1 }
    }
    return reader.inside(() => this.clauseOf(lexeme, [{ path, weight: 1 }]))
  }

  private lookFor(lexeme: Extract<Lexeme, { text: string }>, fields: Field[]): Clause | undefined {
    const { reader, operator } = this.options
    const { text, quoted, prefix } = lexeme
    if (text === '' && prefix) return this.anything(fields)
    if (quoted) {
      const found = phraseOf(text)
      return found && phrase(fields, found, reader)
    }
    const each = eachWord(fields, text, reader, prefix)
    if (each.length < 2) return each[0]
    return bool(prefix || operator === 'and' ? { must: each } : { should: each })
  }

  private anything(fields: Field[]): Clause {
    const { reader } = this.options
    reader.clause()
    const [only] = fields
    return fields.length === 1 && only && only.path !== '*' ? { kind: 'exists', path: only.path, boost: 1 } : EVERYTHING
  }

  private together(parts: Part[], least: unknown): Clause | undefined {
    const of = (occurs: Occurs) => parts.flatMap((one) => (one.occurs === occurs && one.clause ? [one.clause] : []))
    const [should, must, not] = [of('should'), of('must'), of('not')]
    const first = should[0] ?? must[0]
    if (!first && not.length === 0) return undefined
    if (should.length + must.length === 1 && not.length === 0 && first) return first
    return bool({
      should,
      must,
      not,
      ...(least === undefined ? {} : { least: leastOf(least, should.length, this.options.reader) }),
    })
  }

  private sign(): string | undefined {
    const lexeme = this.lexemes[this.at]
    return lexeme && 'sign' in lexeme ? lexeme.sign : undefined
  }

  private take(sign: string): boolean {
    if (this.sign() !== sign) return false
    this.at += 1
    return true
  }
}
