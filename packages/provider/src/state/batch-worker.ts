import { INDEX_SCRIPTS } from '@tidegate/catalog/thread-scripts'
import { databaseTasks } from '@tidegate/database/sqlite'

/** The module of the thread that does large work of the embedded database. */
export const { commit, end } = databaseTasks(INDEX_SCRIPTS)
