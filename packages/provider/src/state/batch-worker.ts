import { INDEX_SCRIPTS } from '@tidegate/catalog/thread-scripts'
import { serveWork } from '@tidegate/database/sqlite'

/** The module of the thread that does large work of the embedded database. */
serveWork(INDEX_SCRIPTS)
