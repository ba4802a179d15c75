export { databaseTasks } from './batch-worker.js'
export { openSqlite, type SqliteOptions } from './sqlite.js'
export { DATABASE_FILE, InUseError } from './sqlite-file.js'
export { inTransaction, Statements } from './sqlite-statements.js'
