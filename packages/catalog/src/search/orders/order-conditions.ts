import type { Value } from '@tidegate/database'
import type { Clause, Limit } from '../syntax.js'
import { ASSET_FIELDS, ORDER_FIELDS } from './order-fields.js'

/** A part of a statement. */
export interface Condition {
  text: string
  values: Value[]
}

/** A live generation of the index. */
export interface LiveGeneration {
  id: number
  chainId: number
}

const NEVER: Condition = { text: '0 = 1', values: [] }
const ALWAYS: Condition = { text: '1 = 1', values: [] }

/** Returns the SQL for the orders that match a clause. A plus hides `chain_id` from planners: nearly all orders have the same. */
export function conditionOf(clause: Clause, generations: LiveGeneration[]): Condition {
  switch (clause.kind) {
    case 'all':
      return ALWAYS
    case 'ids':
      return valuesIn('id', clause.dids, generations)
    case 'values':
      return valuesIn(clause.path, clause.values, generations)
    case 'exists':
      return existsIn(clause.path)
    case 'range': {
      const { column } = ORDER_FIELDS.get(clause.path) ?? {}
      if (column !== 'timestamp' && column !== 'service') return NEVER
      const bound = (limit: Limit | undefined, sign: '<' | '>'): Condition[] =>
        limit ? [{ text: `${column} ${sign}= ?`, values: [nearest(limit, sign === '<' ? -1 : 1)] }] : []
      return joined([...bound(clause.above, '>'), ...bound(clause.below, '<')], 'AND')
    }
    case 'bool': {
      const of = (parts: Clause[]) => parts.map((part) => conditionOf(part, generations))
      const not = of(clause.not).map(({ text, values }) => ({ text: `NOT ${text}`, values }))
      const enough = clause.least > 0 ? [leastOf(of(clause.should), clause.least)] : []
      return joined([...of(clause.must), ...of(clause.filter), ...not, ...enough], 'AND')
    }
    default:
      return NEVER
  }
}

/**
 * Returns the first whole number within a limit, in a direction. PostgreSQL refuses other numbers, and larger ones, for
 * columns of whole numbers.
 */
function nearest({ value, inclusive }: Limit, direction: 1 | -1): number {
  const first = direction * Math.ceil(direction * value)
  const whole = inclusive || first !== value ? first : first + direction
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, whole))
}

/** Joins conditions in parentheses. None at all are met by every order. */
function joined(parts: Condition[], by: 'AND' | 'OR'): Condition {
  if (parts.length === 0) return ALWAYS
  return { text: `(${parts.map(({ text }) => text).join(` ${by} `)})`, values: parts.flatMap(({ values }) => values) }
}

function leastOf(parts: Condition[], least: number): Condition {
  if (least > parts.length) return NEVER
  if (least === 1) return joined(parts, 'OR')
  const met = parts.map(({ text }) => `CASE WHEN ${text} THEN 1 ELSE 0 END`)
  return { text: `(${met.join(' + ')} >= ?)`, values: [...parts.flatMap(({ values }) => values), least] }
}

function valuesIn(path: string, texts: string[], generations: LiveGeneration[]): Condition {
  if (path === 'chainId') {
    const ids = generations.filter(({ chainId }) => texts.includes(String(chainId))).map(({ id }) => id)
    return among('+chain_id', ids)
  }
  const ofAsset = ASSET_FIELDS.get(path)
  if (ofAsset) {
    const values = texts.flatMap((text) => ofAsset.stored(text) ?? [])
    return ofAssets(ofAsset.column, values, generations)
  }
  const field = ORDER_FIELDS.get(path)
  if (!field) return NEVER
  const stored = texts.flatMap((text) => field.stored(text) ?? [])
  const { text, values } = among(field.column, stored)
  // NOT must find the orders without a value as well
  return field.column === 'started' || field.column === 'service'
    ? { text: `(${field.column} IS NOT NULL AND ${text})`, values }
    : { text, values }
}

/** The orders of the datatokens of some assets. The same address may be of another asset on another chain. */
function ofAssets(column: string, values: string[], generations: LiveGeneration[]): Condition {
  const [asset, chain] = [
    among(column, values),
    among(
      'a.chain_id',
      generations.map(({ id }) => id),
    ),
  ]
  const datatokens = (columns: string): Condition => ({
    text: `(SELECT ${columns} FROM index_asset a JOIN index_datatoken t ON t.chain_id = a.chain_id AND t.nft = a.nft
      WHERE ${asset.text} AND ${chain.text})`,
    values: [...asset.values, ...chain.values],
  })
  const [addresses, each] = [datatokens('t.address'), datatokens('t.chain_id, t.address')]
  return {
    text: `(datatoken IN ${addresses.text} AND (+chain_id, datatoken) IN ${each.text})`,
    values: [...addresses.values, ...each.values],
  }
}

function among(column: string, values: Value[]): Condition {
  const unique = [...new Set(values)]
  if (unique.length === 0) return NEVER
  return { text: `${column} IN (${unique.map(() => '?').join(', ')})`, values: unique }
}

function existsIn(path: string): Condition {
  if (path === 'startOrderId' || path === 'serviceIndex')
    return { text: `${ORDER_FIELDS.get(path)?.column} IS NOT NULL`, values: [] }
  return ORDER_FIELDS.has(path) || ASSET_FIELDS.has(path) || path === 'chainId' ? ALWAYS : NEVER
}
