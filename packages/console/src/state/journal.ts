import type { Address, Hex } from 'viem'
import { keep, kept, onKept } from './kept.js'
import { createStore } from './store.js'

/** The purpose of a transaction. */
export interface Purpose {
  kind: 'buy' | 'publish' | 'update' | 'state' | 'list'
  /** The library's name of the step: "Order". */
  step: string
  /** The asset's name, in its publisher's words. */
  title: string
  did?: string
  service?: string
  /** The draft, and whether the transaction creates the contracts or sets the metadata. */
  draft?: string
  part?: 'create' | 'metadata'
}

/**
 * A transaction of this page.
 * `asked`: the wallet has not responded. `sent`: it has a hash. `unsure`: page or connection ended before the wallet
 * responded, so it may have been sent. `replaced`: another transaction of the account used its nonce, for example to speed
 * it up or to cancel it.
 */
export interface Entry extends Purpose {
  id: string
  chainId: number
  from: Address
  to?: Address
  hash?: Hex
  /** Its nonce of the account, once a node has shown it. */
  nonce?: number
  at: number
  state: 'asked' | 'sent' | 'mined' | 'failed' | 'replaced' | 'unsure'
}

const NAME = 'transactions'
/** Most stored entries; settled ones are dropped first. */
const MOST = 50
/** Identifies this visit: the wallet will not respond to requests of an earlier one. */
const VISIT = `${Date.now().toString(36)}-`
let count = 0

const STATES = new Set<unknown>(['asked', 'sent', 'mined', 'failed', 'replaced', 'unsure'])
const KINDS = new Set<unknown>(['buy', 'publish', 'update', 'state', 'list'])

/** Reads stored entries. Skips invalid ones. */
export function readEntries(value: unknown): Entry[] {
  return (Array.isArray(value) ? value : []).filter((one): one is Entry => {
    const { id, chainId, from, hash, nonce, at, state, kind, step, title } = (one ?? {}) as Record<string, unknown>
    const texts = [id, step, title].every((text) => typeof text === 'string')
    const chain = Number.isSafeInteger(chainId) && Number.isFinite(at) && /^0x[0-9a-f]{40}$/i.test(String(from))
    const hashed = hash === undefined ? state === 'asked' || state === 'unsure' : /^0x[0-9a-f]{64}$/i.test(String(hash))
    const numbered = nonce === undefined || Number.isSafeInteger(nonce)
    return texts && chain && hashed && numbered && STATES.has(state) && KINDS.has(kind)
  })
}

/** Marks entries unsure that waited for the wallet when their visit ended. */
export function afterReload(entries: readonly Entry[], visit: string): Entry[] {
  return entries.map((entry) =>
    entry.state === 'asked' && !entry.id.startsWith(visit) ? { ...entry, state: 'unsure' as const } : entry,
  )
}

/** Returns the newest entries first, up to a limit. Never drops an open entry in favour of a settled one. */
export function trimmed(entries: readonly Entry[], most = MOST): Entry[] {
  const open = entries.filter(isOpen)
  const settled = entries.filter((entry) => !isOpen(entry)).sort((a, b) => b.at - a.at)
  return [...open, ...settled.slice(0, Math.max(0, most - open.length))].sort((a, b) => b.at - a.at)
}

/** Whether a transaction is not settled yet. */
export function isOpen({ state }: Entry): boolean {
  return state === 'asked' || state === 'sent' || state === 'unsure'
}

/** The entries of this browser. */
export const entries = createStore<Entry[]>([])

function change(made: (now: Entry[]) => Entry[]): void {
  // another tab may have written in the meantime
  const now = merged(kept(NAME, readEntries, []), entries.get())
  const next = trimmed(made(now))
  entries.set(next)
  keep(NAME, next)
}

/** Merges two lists. Of an entry in both, the more advanced state counts. */
export function merged(stored: readonly Entry[], own: readonly Entry[]): Entry[] {
  const rank = ({ state }: Entry) => ['asked', 'unsure', 'sent', 'replaced', 'failed', 'mined'].indexOf(state)
  const byId = new Map(stored.map((entry) => [entry.id, entry]))
  for (const entry of own) {
    const other = byId.get(entry.id)
    if (!other || rank(entry) > rank(other)) byId.set(entry.id, entry)
  }
  return [...byId.values()]
}

const patch = (id: string, changes: Partial<Entry>) =>
  change((now) => now.map((entry) => (entry.id === id ? { ...entry, ...changes } : entry)))

const remove = (id: string) => {
  entries.set((now) => now.filter((entry) => entry.id !== id))
  keep(NAME, trimmed(kept(NAME, readEntries, []).filter((entry) => entry.id !== id)))
}

/** Records the events of transactions. */
export const journal = {
  /** Restores the entries of earlier visits. */
  open(): void {
    change((now) => afterReload(now, VISIT))
    onKept(NAME, () => entries.set(kept(NAME, readEntries, [])))
  },
  /** The wallet is about to be asked. Returns the id of the entry. */
  asked(entry: Omit<Entry, 'id' | 'at' | 'state'>): string {
    const id = `${VISIT}${count++}`
    change((now) => [{ ...entry, id, at: Date.now(), state: 'asked' }, ...now])
    return id
  },
  sent: (id: string, hash: Hex) => patch(id, { hash, state: 'sent' }),
  /** The wallet has not sent it; if that is not certain, it may have. */
  refused: (id: string, certain: boolean) => (certain ? remove(id) : patch(id, { state: 'unsure' })),
  /** A node has shown it, with its nonce. */
  seen: (id: string, nonce: number) => patch(id, { nonce }),
  replaced: (id: string) => patch(id, { state: 'replaced' }),
  /** A node has shown its receipt. Ignores transactions of others. */
  mined(hash: Hex, state: 'mined' | 'failed'): void {
    const own = entries.get().filter((entry) => entry.hash?.toLowerCase() === hash.toLowerCase())
    for (const entry of own) if (entry.state === 'sent' || entry.state === 'replaced') patch(entry.id, { state })
  },
  dismiss: remove,
}

/** Returns the open transactions of an account that buy a service. */
export function openPurchase(
  all: readonly Entry[],
  of: { did: string; service: string; from: string },
): Entry | undefined {
  return all.find(
    (entry) =>
      entry.kind === 'buy' &&
      isOpen(entry) &&
      entry.did === of.did &&
      entry.service === of.service &&
      entry.from.toLowerCase() === of.from.toLowerCase(),
  )
}
