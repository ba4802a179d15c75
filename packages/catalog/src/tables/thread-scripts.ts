import type { Dialect, ThreadScripts } from '@tidegate/database'
import type { IndexBatch, IndexRole } from '../index-store.js'
import { commit, undoSome } from './commit.js'
import { sweep } from './generations.js'
import { buildSome } from './search.js'

/** The scripts of the index that a thread runs where they are large. */
export const INDEX_SCRIPTS = {
  commit: ({ role, batch }: { role: IndexRole; batch: IndexBatch }, dialect: Dialect) => commit(role, batch, dialect),
  undo: ({ role, chainId }: { role: IndexRole; chainId: number }, dialect: Dialect) => undoSome(role, chainId, dialect),
  sweep: ({ chainId }: { chainId: number }, dialect: Dialect) => sweep(chainId, dialect),
  build: (_input: undefined, dialect: Dialect) => buildSome(dialect),
} satisfies ThreadScripts
