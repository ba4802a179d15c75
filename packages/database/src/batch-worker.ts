import Database from 'libsql'
import { run, runScriptSync } from './script.js'
import type { Query, Script, ThreadScripts, ThreadWork } from './sql.js'
import { configured, inTransaction, LOCK_WAIT, Statements } from './sqlite/sqlite-statements.js'

/** The result of the script, or the error of the database as a value: its code would be lost between threads. */
export type Outcome = { done: boolean } | { error: { message: string; code: unknown; isRange: boolean } }

/** Tasks of the thread that writes to an embedded database, on its own connection. */
export interface DatabaseTasks {
  /** Does the work in one transaction. */
  commit(input: { path: string; work: ThreadWork }): Outcome
  /** Closes the connection. */
  end(): void
}

/**
 * Creates the tasks for the scripts of a schema. Scripts are trusted code; the sandbox has checked their input.
 * `statements` is a script of every schema, which runs a list of queries.
 */
export function databaseTasks(scripts: ThreadScripts): DatabaseTasks {
  const all: ThreadScripts = { ...scripts, statements: runAll }
  let opened: { db: Database.Database; statements: Statements } | undefined
  return {
    commit({ path, work: { task, input } }) {
      try {
        opened ??= open(path)
        const { db, statements } = opened
        const script = (all[task] as (input: unknown, dialect: 'sqlite') => Script<boolean>)(input, 'sqlite')
        return { done: inTransaction(db, 'IMMEDIATE', () => runScriptSync(script, (query) => statements.run(query))) }
      } catch (error) {
        const { message, code } = error as { message: string; code?: unknown }
        return { error: { message, code, isRange: error instanceof RangeError } }
      }
    },
    end: () => opened?.db.close(),
  }
}

function open(path: string) {
  const db = configured(new Database(path, { timeout: LOCK_WAIT }))
  return { db, statements: new Statements(db) }
}

function* runAll(queries: Query[]): Script<boolean> {
  for (const query of queries) yield* run(query)
  return true
}
