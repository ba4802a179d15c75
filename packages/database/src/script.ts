import { UnstorableError } from '@tidegate/protocol'
import { type Query, type Result, type Script, sql } from './sql.js'

/** Yields one statement of a script and returns its result. */
export function* run(query: Query): Script<Result> {
  return yield query
}

const SAVE = sql('SAVEPOINT attempt')()
const ROLL_BACK = sql('ROLLBACK TO SAVEPOINT attempt')()
const RELEASE = sql('RELEASE SAVEPOINT attempt')()

/** Runs a part of a script in a savepoint. Returns false, and rolls the part back, if its data cannot be stored. */
export function* attempt(part: () => Script<void>): Script<boolean> {
  yield* run(SAVE)
  try {
    yield* part()
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error
    yield* run(ROLL_BACK)
    yield* run(RELEASE)
    return false
  }
  yield* run(RELEASE)
  return true
}

/** Runs a script on an asynchronous database. */
export async function runScript<T>(script: Script<T>, run: (query: Query) => Promise<Result>): Promise<T> {
  let next = script.next()
  while (!next.done) {
    const outcome = await run(next.value).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    )
    next = 'result' in outcome ? script.next(outcome.result) : script.throw(outcome.error)
  }
  return next.value
}

/** Runs a script on a synchronous database. */
export function runScriptSync<T>(script: Script<T>, run: (query: Query) => Result): T {
  let next = script.next()
  while (!next.done) {
    let outcome: { result: Result } | { error: unknown }
    try {
      outcome = { result: run(next.value) }
    } catch (error) {
      outcome = { error }
    }
    next = 'result' in outcome ? script.next(outcome.result) : script.throw(outcome.error)
  }
  return next.value
}
