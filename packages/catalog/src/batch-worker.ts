import type { Dialect, ThreadScripts } from '@tidegate/database'
import { databaseTasks } from '@tidegate/database/sqlite'
import type { IndexBatch, IndexRole } from './index/index-store.js'
import { commit as commitBatch, undoSome } from './index/tables/commit.js'
import { sweep } from './index/tables/generations.js'
import { searchConsumer } from './search/tables/consumer.js'
import { buildSome } from './search/tables/pending.js'

/** The scripts of index and search that run in a thread if they write many rows. */
const SCRIPTS = {
  commit: ({ role, batch }: { role: IndexRole; batch: IndexBatch }, dialect: Dialect) =>
    commitBatch(role, batch, searchConsumer(dialect)),
  undo: ({ role, chainId }: { role: IndexRole; chainId: number }, dialect: Dialect) =>
    undoSome(role, chainId, searchConsumer(dialect)),
  sweep: ({ chainId }: { chainId: number }, dialect: Dialect) => sweep(chainId, searchConsumer(dialect)),
  build: (_input: undefined, dialect: Dialect) => buildSome(dialect),
} satisfies ThreadScripts

/** Thread module for large writes to the embedded database. */
export const { commit, end } = databaseTasks(SCRIPTS)
