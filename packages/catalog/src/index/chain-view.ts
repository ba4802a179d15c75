import type { Chain } from '@tidegate/chain'
import { ChainError } from '@tidegate/protocol'
import type { Hex, PublicClient } from 'viem'
import { type Header, headerOf } from './blocks/headers.js'
import type { Cursor, IndexGeneration } from './index-store.js'

/** Blocks between a cursor and a head beyond which the node must have the head's parent: a false head has none. */
const FAR_HEAD = 64

/** A node's view: its head, and its hashes of some blocks; undefined for unknown blocks. */
interface NodeView {
  head: Header
  hashes: (Hex | undefined)[]
}

/** The status of an indexed block on the chain. `unknown`: the nodes may lag, so there may be no reorganisation. */
export type BlockStatus = 'same' | 'other' | 'unknown'

/** The nodes' view of the chain: heads, highest first, and the status of the last indexed block. */
export interface ChainView {
  heads: number[]
  /** The headers of heads, by number, unless nodes differ. */
  headers: ReadonlyMap<number, Header>
  status: BlockStatus
}

/**
 * Queries all usable nodes. The head is the newest block that a node returns: a number alone may be false. Throws ChainError if fewer than
 * the quorum respond.
 */
async function viewsOf({ nodes }: Chain, cursors: Cursor[]): Promise<NodeView[]> {
  const answers = await nodes.askAll(async (client): Promise<NodeView | undefined> => {
    const [head, ...headers] = await Promise.all([
      headerOf(client, 'latest'),
      ...cursors.map(({ block }) => headerOf(client, block)),
    ])
    if (!head) return undefined
    const isFar = cursors[0] && head.number > cursors[0].block + FAR_HEAD
    if (isFar && !(await hasParent(client, head))) return undefined
    return { head, hashes: headers.map((header) => header?.hash) }
  })
  const views = answers.filter((answer) => answer !== undefined)
  if (views.length < nodes.needed) throw new ChainError('CHAIN_UNAVAILABLE', 'Too few blockchain nodes answer.')
  return views
}

/** Whether a node has the block before a head. */
async function hasParent(client: PublicClient, { number, parent }: Header): Promise<boolean> {
  const before = await headerOf(client, number - 1)
  // some nodes do not send the hash of the parent
  return before !== undefined && (parent === undefined || before.hash === parent)
}

/** Returns `other` if a quorum has one other hash, and more nodes have other hashes than the indexed one. */
function statusOf(views: NodeView[], at: number, { hash }: Cursor, needed: number): BlockStatus {
  const votes = new Map<Hex, number>()
  for (const { hashes } of views) {
    const vote = hashes[at]
    if (vote) votes.set(vote, (votes.get(vote) ?? 0) + 1)
  }
  const same = votes.get(hash) ?? 0
  const others = [...votes.values()].reduce((sum, count) => sum + count, 0) - same
  votes.delete(hash)
  if (others > same && Math.max(...votes.values()) >= needed) return 'other'
  return same >= needed && same >= others ? 'same' : 'unknown'
}

async function statusOnChain(chain: Chain, block: Cursor): Promise<BlockStatus> {
  return statusOf(await viewsOf(chain, [block]), 0, block, chain.nodes.needed)
}

/** Returns the heads by number; none of a number for which nodes have different blocks. */
function agreedHeads(views: NodeView[]): Map<number, Header> {
  const others = (head: Header) =>
    views.some((view) => view.head.number === head.number && view.head.hash !== head.hash)
  return new Map(views.flatMap(({ head }) => (others(head) ? [] : [[head.number, head]])))
}

/** Returns the nodes' heads and the status of a cursor. Throws ChainError, StateError. */
export async function observeChain(
  chain: Chain,
  generation: IndexGeneration,
  cursor: Cursor | undefined,
): Promise<ChainView> {
  const { needed } = chain.nodes
  const views = await viewsOf(chain, cursor ? [cursor] : [])
  // blocks beyond the quorum's head cannot be read; lower heads are those of lagging nodes
  const sorted = views.map(({ head }) => head.number).sort((a, b) => b - a)
  const heads = [...new Set(sorted.slice(needed - 1))]
  const headers = agreedHeads(views)
  const highest = heads[0] as number
  if (!cursor) return { heads, headers, status: 'same' }
  const status = statusOf(views, 0, cursor, needed)
  if (status !== 'unknown' || highest >= cursor.block) return { heads, headers, status }
  // the nodes lag, or the chain is shorter: then it has another block at a lower checkpoint
  const lower = (await generation.checkpoints(chain.chainId)).find(({ block }) => block <= highest)
  if (!lower) return { heads, headers, status }
  return { heads, headers, status: (await statusOnChain(chain, lower)) === 'other' ? 'other' : 'unknown' }
}

/**
 * Returns the newest checkpoint on the chain; `checkpoints`: newest first. `gone` if two queries confirm another block at the oldest
 * one: the reorganisation is deeper. Undefined if unknown. Throws ChainError.
 */
export async function commonAncestor(chain: Chain, checkpoints: Cursor[]): Promise<Cursor | 'gone' | undefined> {
  const { needed } = chain.nodes
  const views = await viewsOf(chain, checkpoints)
  const statuses = checkpoints.map((checkpoint, at) => statusOf(views, at, checkpoint, needed))
  const newest = statuses.indexOf('same')
  if (newest !== -1) return checkpoints[newest]
  const oldest = checkpoints.at(-1)
  if (!oldest || statuses.at(-1) !== 'other') return undefined
  return (await statusOnChain(chain, oldest)) === 'other' ? 'gone' : undefined
}
