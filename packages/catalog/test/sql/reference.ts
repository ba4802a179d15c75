import { type Leaf, numberOf, ORDERS, type Searchable, textOf } from '../../src/search/documents/document.js'
import { folded } from '../../src/search/documents/folded.js'
import { asWord, isUnspaced } from '../../src/search/documents/words.js'
import type {
  Aggregated,
  Aggregation,
  Clause,
  Field,
  Phrase,
  Search,
  SearchResult,
  Sort,
} from '../../src/search/syntax.js'

/** A reference implementation that scans every value of all documents: slow, but obviously correct. */
export function searchAll(
  documents: Searchable[],
  search: Search,
  purgatory: string[],
): Omit<SearchResult, 'building' | 'assets'> {
  const hits = documents.filter((document) => matches(search.query, document, purgatory))
  const isScored = search.sort.length === 0 || search.sort.some(({ path }) => path === '_score')
  const scored = hits.map((document) => ({
    document,
    score: isScored ? scoreIn(search.query, document, purgatory) : 0,
  }))
  const sorts: Sort[] = search.sort.length > 0 ? search.sort : [{ path: '_score', descending: true, missing: 'last' }]
  scored.sort((a, b) => {
    for (const sort of sorts) {
      const order =
        sort.path === '_score'
          ? (a.score - b.score) * (sort.descending ? -1 : 1)
          : compared(keyOf(a.document, sort), keyOf(b.document, sort), sort)
      if (order !== 0) return order
    }
    return b.document.created - a.document.created || (a.document.did < b.document.did ? -1 : 1)
  })
  const page = scored.slice(search.from, search.from + search.size)
  return {
    total: totalOf(hits.length, search.countUpTo),
    hits: page.map(({ document, score }) => ({ did: document.did, score: isScored ? score / 1000 : null })),
    maxScore: isScored && page.length > 0 ? Math.max(...scored.map(({ score }) => score)) / 1000 : null,
    aggregations: aggregate(search.aggregations, hits),
  }
}

function totalOf(count: number, most: number | undefined): SearchResult['total'] {
  if (most === undefined) return undefined
  return count > most ? { value: most, relation: 'gte' } : { value: count, relation: 'eq' }
}

const at = ({ leaves, orders }: Searchable, path: string): Leaf[] =>
  path === ORDERS ? [{ path, value: orders, words: [] }] : leaves.filter((leaf) => leaf.path === path)

function matches(clause: Clause, document: Searchable, purgatory: string[]): boolean {
  const inside = (one: Clause) => matches(one, document, purgatory)
  switch (clause.kind) {
    case 'all':
      return true
    case 'none':
      return false
    case 'ids':
      return clause.dids.some((did) => folded(did) === folded(document.did))
    case 'exists':
      return clause.path === 'purgatory.state' || document.paths.has(clause.path)
    case 'text':
      return clause.fields.some((field) => hasText(document, field, clause.phrase))
    case 'values': {
      if (clause.path === 'purgatory.state')
        return clause.values.some((value) => folded(value) === String(purgatory.includes(document.did)))
      return clause.values.some((value) => at(document, clause.path).some((leaf) => isValue(leaf, value, clause.exact)))
    }
    case 'range': {
      const { above, below } = clause
      return at(document, clause.path).some((leaf) => {
        const number = numberOf(leaf.value)
        if (number === undefined) return false
        if (above && !(above.inclusive ? number >= above.value : number > above.value)) return false
        return !(below && !(below.inclusive ? number <= below.value : number < below.value))
      })
    }
    case 'bool': {
      const met = clause.should.filter(inside).length
      return clause.must.every(inside) && clause.filter.every(inside) && !clause.not.some(inside) && met >= clause.least
    }
  }
}

function isValue({ value, words }: Leaf, wanted: string, exact: boolean): boolean {
  const text = String(value)
  if (exact) return text.length <= 256 && text === wanted
  if (text.length <= 256 && folded(text) === folded(wanted)) return true
  const own = asWord(wanted)
  return own !== undefined && words.includes(own)
}

function hasText(document: Searchable, { path }: Field, { words, prefix }: Phrase): boolean {
  // it has no words, but can be asked for a number as a text
  if (path === ORDERS) return !prefix && words.length === 1 && String(document.orders) === words[0]
  const [only = '', ...others] = words
  // such prefixes are searched in short texts only
  const isShort = prefix && others.length === 0 && [...only].length <= 2 && !isUnspaced(only)
  return document.leaves.some(
    (leaf) =>
      (path === '*' || leaf.path === path) &&
      !(isShort && String(leaf.value).length > 256) &&
      leaf.words.some((_, from) =>
        words.every((word, next) => {
          const found = leaf.words[from + next]
          return prefix && next === words.length - 1 ? found?.startsWith(word) : found === word
        }),
      ),
  )
}

/** The score in thousandths. */
function scoreIn(clause: Clause, document: Searchable, purgatory: string[], factor = 1): number {
  if (!matches(clause, document, purgatory)) return 0
  const boost = factor * clause.boost
  if (clause.kind === 'bool')
    return [...clause.must, ...clause.should].reduce((sum, one) => sum + scoreIn(one, document, purgatory, boost), 0)
  if (clause.kind !== 'text') return Math.round(1000 * boost)
  const weights = clause.fields.filter((field) => hasText(document, field, clause.phrase)).map(({ weight }) => weight)
  return Math.round(1000 * boost * Math.max(...weights))
}

type Key = { num: number | undefined; txt: string | undefined }

function keyOf(document: Searchable, { path, descending }: Sort): Key {
  const leaves = at(document, path)
  const numbers = leaves.flatMap(({ value }) => numberOf(value) ?? [])
  const texts = leaves.filter(({ value }) => numberOf(value) === undefined).flatMap(({ value }) => textOf(value) ?? [])
  const pick = <T>(list: T[], order: (a: T, b: T) => number) => list.sort(order)[descending ? list.length - 1 : 0]
  return { num: pick(numbers, (a, b) => a - b), txt: pick(texts, bytewise) }
}

const bytewise = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

function compared(a: Key, b: Key, { descending, missing }: Sort): number {
  const rank = ({ num, txt }: Key) => (num !== undefined ? 1 : txt !== undefined ? 2 : missing === 'first' ? 0 : 3)
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  const order = a.num !== undefined ? a.num - (b.num ?? 0) : bytewise(a.txt ?? '', b.txt ?? '')
  return descending ? -order : order
}

function aggregate(wanted: Record<string, Aggregation>, documents: Searchable[]): Record<string, Aggregated> {
  return Object.fromEntries(
    Object.entries(wanted).map(([name, one]) => [
      name,
      one.kind === 'sum' ? { value: sum(documents, one.path) } : terms(one, documents),
    ]),
  )
}

function sum(documents: Searchable[], path: string): number {
  return documents
    .flatMap((document) => at(document, path))
    .reduce((total, { value }) => total + (numberOf(value) ?? 0), 0)
}

function terms(
  { path, size, order, inside }: Extract<Aggregation, { kind: 'terms' }>,
  documents: Searchable[],
): Aggregated {
  const groups = new Map<string | number, Searchable[]>()
  for (const document of documents)
    for (const { value } of at(document, path)) {
      const key = textOf(value) ?? numberOf(value)
      if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), document])
    }
  const byKey = (a: string | number, b: string | number) => {
    if (typeof a !== typeof b) return typeof a === 'string' ? -1 : 1
    return typeof a === 'number' ? a - (b as number) : bytewise(a, b as string)
  }
  const rows = [...groups].map(([key, list]) => ({ key, list, inner: aggregate(inside, list) }))
  const measure = (row: (typeof rows)[number]) =>
    order.by === '_count' ? row.list.length : (row.inner[order.by] as { value: number }).value
  rows.sort((a, b) => {
    const direction = order.descending ? -1 : 1
    if (order.by === '_key')
      return typeof a.key === typeof b.key ? direction * byKey(a.key, b.key) : byKey(a.key, b.key)
    return direction * (measure(a) - measure(b)) || byKey(a.key, b.key)
  })
  const other = rows.slice(size).reduce((count, { list }) => count + list.length, 0)
  const buckets = rows.slice(0, size).map(({ key, list, inner }) => ({ key, doc_count: list.length, ...inner }))
  return { doc_count_error_upper_bound: 0, sum_other_doc_count: other, buckets }
}
