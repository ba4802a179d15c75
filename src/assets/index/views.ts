import type { Hex } from 'viem'
import type { Chain } from '../../chain/chains.js'
import type { Cursor } from '../../state/store.js'
import { headerOf } from './headers.js'

/** How many blocks all nodes may be behind what was read already before that counts as another history. */
const TOLERATED_LAG = 64

/** What one node sees: its head, and the hash that it has for the block of a cursor. */
export interface View {
  head: number
  hash?: Hex
}

/** What every node that answers sees. Throws ChainError where none does. */
export function viewsOf({ nodes }: Chain, cursor: Cursor | undefined): Promise<View[]> {
  return nodes.askAll(async (client) => {
    const [head, header] = await Promise.all([client.getBlockNumber(), cursor && headerOf(client, cursor.block)])
    return { head: Number(head), ...(header ? { hash: header.hash } : {}) }
  })
}

/**
 * The newest of the cursors, newest first, that is on the chain as a node sees it that does not have the first of
 * them. Throws ChainError.
 */
export async function commonAncestor({ nodes }: Chain, cursors: Cursor[]): Promise<Cursor | undefined> {
  const common = await nodes.ask(
    async (client) => {
      const headers = await Promise.all(cursors.map(({ block }) => headerOf(client, block)))
      return cursors.findIndex(({ hash }, at) => headers[at]?.hash === hash)
    },
    { accept: (at) => at !== 0 },
  )
  return cursors[common]
}

/** Whether most of the nodes that have a block of this number have another one there, or none has it that should. */
export function isOtherHistory(views: View[], cursor: Cursor, nodes: number): boolean {
  const hashes = views.flatMap(({ hash }) => hash ?? [])
  const head = Math.max(...views.map((view) => view.head))
  // a node that lags far behind is no witness while another one, which may have the block, does not answer
  if (hashes.length === 0)
    return views.length === nodes && (head >= cursor.block || head < cursor.block - TOLERATED_LAG)
  return hashes.filter((hash) => hash === cursor.hash).length * 2 < hashes.length
}
