import { INDEX_SCRIPTS } from '@tidegate/catalog/thread-scripts'
import { databaseTasks } from '@tidegate/database/sqlite'

/** Thread module for large writes to the embedded database. */
export const { commit, end } = databaseTasks(INDEX_SCRIPTS)
