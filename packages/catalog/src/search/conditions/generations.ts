import type { Dialect } from '@tidegate/database'
import type { Scope } from '../syntax.js'
import type { Condition } from './condition.js'
import { ENCRYPTED, generationToken } from './tokens.js'

export interface Generation {
  id: number
  chainId: number
  role: string
  /** Whether all search rows are being rebuilt, after the state was copied or restored. */
  building: boolean
}

const ROWS = `SELECT r.id, r.chain_id, r.role, CASE WHEN r.role = 'live' THEN r.version ELSE 0 END AS version,
    CASE WHEN EXISTS (SELECT 1 FROM search_pending p WHERE p.chain_id = r.id AND p.findable = 0) THEN 1 ELSE 0 END AS building
  FROM index_reading r`
const COLUMNS = 'g.id, g.chain_id, g.role, g.version, g.building'

/** SQL for the index state: all generations, with the versions of live ones. Equal states have equal search results. */
export const STATE: Record<Dialect, string> = {
  sqlite: `(SELECT json_group_array(json_array(${COLUMNS})) FROM (${ROWS} ORDER BY r.id) AS g)`,
  postgres: `(SELECT CAST(json_agg(json_build_array(${COLUMNS}) ORDER BY g.id) AS TEXT) FROM (${ROWS}) AS g)`,
}

export function generationsIn(state: string | null): Generation[] {
  const rows = JSON.parse(state ?? '[]') as [number, number, string, number, number][]
  return rows.map(([id, chainId, role, , building]) => ({ id, chainId, role, building: building !== 0 }))
}

/** Whether all search rows of a live generation are being rebuilt. */
export function isBuilding(generations: Generation[]): boolean {
  return generations.some(({ role, building }) => role === 'live' && building)
}

/**
 * Returns the conditions for searchable documents (of live generations of the searched chains), and for those of each chain. `base`: the
 * same as `every`, without the tokens of generations if each stored document has one of these.
 */
export function scopeOf(generations: Generation[], { chains, encrypted }: Pick<Scope, 'chains' | 'encrypted'>) {
  const searched = generations.filter((one) => one.role === 'live' && chains.includes(one.chainId))
  const areAll = searched.length > 0 && searched.length === generations.length
  const tokens = searched.map(({ id }): Condition => ({ op: 'token', token: generationToken(id) }))
  const inLive: Condition = { op: 'or', of: tokens }
  const plain: Condition[] = encrypted ? [] : [{ op: 'not', of: { op: 'token', token: ENCRYPTED } }]
  const every: Condition = { op: 'and', of: [inLive, ...plain] }
  const base: Condition = areAll ? { op: 'and', of: plain } : every
  const isAlone = areAll && searched.length === 1
  const of = ({ id }: Generation): Condition =>
    isAlone ? { op: 'and', of: [] } : { op: 'token', token: generationToken(id) }
  return { base, every, chains: new Map(searched.map((one) => [String(one.chainId), of(one)])) }
}
