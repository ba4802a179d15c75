import { parentPort, workerData } from 'node:worker_threads'
import Database from 'libsql'
import { runScriptSync } from './script.js'
import type { Query, ThreadWork } from './sql.js'
import { configured, inTransaction, Statements } from './sqlite-statements.js'
import { scriptOf } from './thread-scripts.js'

/** Work; undefined: the thread is to end. */
export type Order = ThreadWork | undefined

/** Whether the work was done, or the error of the database, whose class does not survive being sent. */
export type Outcome = { done: boolean } | { error: { message: string; code: unknown; isRange: boolean } }

/**
 * The module of the thread that commits batches, on a connection of its own. It is trusted code: what it gets of the index was
 * read and checked in the sandbox. It ends by itself, since a thread that is terminated within native code aborts the process.
 */
function serve(port: NonNullable<typeof parentPort>): void {
  const db = configured(new Database(workerData as string, { timeout: 5000 }))
  const statements = new Statements(db)
  const run = (query: Query) => statements.run(query)
  const outcome = (work: ThreadWork): Outcome => {
    try {
      return { done: inTransaction(db, 'IMMEDIATE', () => runScriptSync(scriptOf(work, 'sqlite'), run)) }
    } catch (error) {
      const { message, code } = error as { message: string; code?: unknown }
      return { error: { message, code, isRange: error instanceof RangeError } }
    }
  }
  port.on('message', (order: Order) => {
    if (order) return port.postMessage(outcome(order))
    db.close()
    port.close()
  })
}

if (parentPort) serve(parentPort)
