import type { Hex } from 'viem'
import type { Chain } from '../../chain/chains.js'
import { ChainError } from '../../errors.js'
import type { Cursor, IndexReading } from '../../state/store.js'
import { headerOf } from './headers.js'

/** What one node sees: its head, and the hash that it has for each of some blocks; undefined where it knows none. */
interface View {
  head: number
  hashes: (Hex | undefined)[]
}

/** What the nodes say of a block that was read. That they do not know it says nothing of what the chain is. */
export type Verdict = 'same' | 'other' | 'unknown'

/** What the nodes see: heads, the highest first, and what they say of the block that was read last. */
export interface Seen {
  heads: number[]
  verdict: Verdict
}

/** Asks every node that answers. Throws ChainError where fewer do than must agree. */
async function viewsOf({ nodes }: Chain, cursors: Cursor[]): Promise<View[]> {
  const views = await nodes.askAll(async (client) => {
    const [head, ...headers] = await Promise.all([
      client.getBlockNumber(),
      ...cursors.map(({ block }) => headerOf(client, block)),
    ])
    return { head: Number(head), hashes: headers.map((header) => header?.hash) }
  })
  if (views.length < nodes.needed) throw new ChainError('CHAIN_UNAVAILABLE', 'Too few blockchain nodes answer.')
  return views
}

/** Another block counts where as many nodes as must agree have the same one, and fewer have the one that was read. */
function verdictOn(views: View[], at: number, { hash }: Cursor, needed: number): Verdict {
  const votes = new Map<Hex, number>()
  for (const { hashes } of views) {
    const said = hashes[at]
    if (said) votes.set(said, (votes.get(said) ?? 0) + 1)
  }
  const same = votes.get(hash) ?? 0
  const others = [...votes.values()].reduce((sum, count) => sum + count, 0) - same
  votes.delete(hash)
  if (others > same && Math.max(...votes.values()) >= needed) return 'other'
  return same >= needed && same >= others ? 'same' : 'unknown'
}

/** Looks at the chain from where a reading of it ends. Throws ChainError, StateError. */
export async function look(chain: Chain, reading: IndexReading, cursor: Cursor | undefined): Promise<Seen> {
  const { needed } = chain.nodes
  const views = await viewsOf(chain, cursor ? [cursor] : [])
  // a head that too few have cannot be read; of those that lag, one may be what can be read
  const sorted = views.map(({ head }) => head).sort((one, other) => other - one)
  const heads = [...new Set(sorted.slice(needed - 1))]
  const highest = heads[0] as number
  if (!cursor) return { heads, verdict: 'same' }
  const verdict = verdictOn(views, 0, cursor, needed)
  if (verdict !== 'unknown' || highest >= cursor.block) return { heads, verdict }
  // they lag behind, or the chain has become shorter: then it has another block somewhere below
  const lower = (await reading.checkpoints(chain.chainId)).find(({ block }) => block <= highest)
  if (!lower) return { heads, verdict }
  const there = verdictOn(await viewsOf(chain, [lower]), 0, lower, needed)
  return { heads, verdict: there === 'other' ? 'other' : 'unknown' }
}

/**
 * The newest of some checkpoints, newest first, that is on the chain. `gone` where the nodes have another block at the
 * oldest one, asked twice: it is another chain. Undefined where they do not say. Throws ChainError.
 */
export async function ancestorOf(chain: Chain, checkpoints: Cursor[]): Promise<Cursor | 'gone' | undefined> {
  const { needed } = chain.nodes
  const views = await viewsOf(chain, checkpoints)
  const verdicts = checkpoints.map((checkpoint, at) => verdictOn(views, at, checkpoint, needed))
  const same = verdicts.indexOf('same')
  if (same !== -1) return checkpoints[same]
  const oldest = checkpoints.at(-1)
  if (!oldest || verdicts.at(-1) !== 'other') return undefined
  return verdictOn(await viewsOf(chain, [oldest]), 0, oldest, needed) === 'other' ? 'gone' : undefined
}
