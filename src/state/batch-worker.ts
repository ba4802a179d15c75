import { parentPort, workerData } from 'node:worker_threads'
import Database from 'libsql'
import { runScriptSync } from './script.js'
import { configured, inTransaction, Statements } from './sqlite-statements.js'
import type { IndexBatch, IndexRole } from './store.js'
import { commit } from './tables/commit.js'

/** A batch to commit; undefined: the thread is to end. */
export type Order = { role: IndexRole; batch: IndexBatch } | undefined

/** Whether the batch was applied, or the error of the database, whose class does not survive being sent. */
export type Outcome = { done: boolean } | { error: { message: string; code: unknown; isRange: boolean } }

/**
 * The module of the thread that commits batches of the index, on a connection of its own. It is trusted code: what it gets was
 * read and checked in the sandbox. It ends by itself, since a thread that is terminated within native code aborts the process.
 */
function serve(port: NonNullable<typeof parentPort>): void {
  const db = configured(new Database(workerData as string, { timeout: 5000 }))
  const statements = new Statements(db)
  const apply = ({ role, batch }: NonNullable<Order>): Outcome => {
    try {
      const script = commit(role, batch, 'sqlite')
      const work = () => runScriptSync(script, (query) => statements.run(query))
      return { done: inTransaction(db, 'IMMEDIATE', work) }
    } catch (error) {
      const { message, code } = error as { message: string; code?: unknown }
      return { error: { message, code, isRange: error instanceof RangeError } }
    }
  }
  port.on('message', (order: Order) => {
    if (order) return port.postMessage(apply(order))
    db.close()
    port.close()
  })
}

if (parentPort) serve(parentPort)
