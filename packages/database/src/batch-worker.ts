import { parentPort, workerData } from 'node:worker_threads'
import Database from 'libsql'
import { run, runScriptSync } from './script.js'
import type { Query, Script, ThreadScripts, ThreadWork } from './sql.js'
import { configured, inTransaction, Statements } from './sqlite-statements.js'

/** Work; undefined: the thread is to end. */
export type Order = ThreadWork | undefined

/** Whether the work was done, or the error of the database, whose class does not survive being sent. */
export type Outcome = { done: boolean } | { error: { message: string; code: unknown; isRange: boolean } }

/**
 * Serves as the thread that does work of the database, on a connection of its own, by the scripts of a schema. They are trusted
 * code: what they get of the index was read and checked in the sandbox. The thread ends by itself, since one that is terminated
 * within native code aborts the process. `statements` is a script of every schema: it runs a list of queries.
 */
export function serveWork(scripts: ThreadScripts): void {
  const port = parentPort
  if (!port) return
  const db = configured(new Database(workerData as string, { timeout: 5000 }))
  const statements = new Statements(db)
  const all: ThreadScripts = { ...scripts, statements: everyOne }
  const outcome = ({ task, input }: ThreadWork): Outcome => {
    try {
      const script = (all[task] as (input: unknown, dialect: 'sqlite') => Script<boolean>)(input, 'sqlite')
      return { done: inTransaction(db, 'IMMEDIATE', () => runScriptSync(script, (query) => statements.run(query))) }
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

function* everyOne(queries: Query[]): Script<boolean> {
  for (const query of queries) yield* run(query)
  return true
}
