export { databaseTasks } from './batch-worker.js'
export { openSqlite, type SqliteOptions } from './sqlite/sqlite.js'
export { DATABASE_FILE, InUseError } from './sqlite/sqlite-file.js'
export { inTransaction, Statements } from './sqlite/sqlite-statements.js'
