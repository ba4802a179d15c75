import type { Dialect } from './dialect.js'
import { run } from './script.js'
import type { Query, Script, ThreadWork } from './sql.js'
import { commit, undoSome } from './tables/commit.js'
import { sweep } from './tables/generations.js'
import { buildSome } from './tables/search.js'

/** Returns the script of some work. */
export function scriptOf(work: ThreadWork, dialect: Dialect): Script<boolean> {
  switch (work.task) {
    case 'commit':
      return commit(work.role, work.batch, dialect)
    case 'undo':
      return undoSome(work.role, work.chainId, dialect)
    case 'sweep':
      return sweep(work.chainId, dialect)
    case 'build':
      return buildSome(dialect)
    case 'statements':
      return all(work.queries)
  }
}

function* all(queries: Query[]): Script<boolean> {
  for (const query of queries) yield* run(query)
  return true
}
