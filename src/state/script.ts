import { UnstorableError } from '../errors.js'
import { type Query, type Result, type Script, sql } from './sql.js'

/** Runs one statement of a script. */
export function* step(query: Query): Script<Result> {
  return yield query
}

const SAVE = sql('SAVEPOINT attempt')()
const TAKE_BACK = sql('ROLLBACK TO SAVEPOINT attempt')()
const RELEASE = sql('RELEASE SAVEPOINT attempt')()

/** Runs a part of a script, or nothing of it where the database does not take it: then false. */
export function* attempt(part: () => Script<void>): Script<boolean> {
  yield* step(SAVE)
  try {
    yield* part()
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error
    yield* step(TAKE_BACK)
    yield* step(RELEASE)
    return false
  }
  yield* step(RELEASE)
  return true
}

/** Runs a script with what runs a statement. */
export async function played<T>(script: Script<T>, run: (query: Query) => Promise<Result>): Promise<T> {
  let next = script.next()
  while (!next.done) {
    const ran = await run(next.value).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    )
    next = 'result' in ran ? script.next(ran.result) : script.throw(ran.error)
  }
  return next.value
}

/** The same on a database that answers at once. */
export function playedAtOnce<T>(script: Script<T>, run: (query: Query) => Result): T {
  let next = script.next()
  while (!next.done) {
    let ran: { result: Result } | { error: unknown }
    try {
      ran = { result: run(next.value) }
    } catch (error) {
      ran = { error }
    }
    next = 'result' in ran ? script.next(ran.result) : script.throw(ran.error)
  }
  return next.value
}
