import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Names the folder of the fixtures that a test run has prepared; unset where helpers are used outside of one. */
export const PREPARED = 'TIDEGATE_TEST_PREPARED'

/**
 * The path of a fixture that is made once per test run: `build` (the output of `npm run build`, and programs that tests
 * start often), `checkout` (the sources that it was built of, with the build of the client library), `packed` (what npm
 * packs of it), `chain` (a snapshot of a chain with the contracts), `contracts` (the contracts of test/contracts compiled
 * so far), `postgres` (the files of a new database server). Undefined if it does not exist; callers then make their own.
 */
export function prepared(...path: string[]): string | undefined {
  const folder = process.env[PREPARED]
  if (folder === undefined) return undefined
  const found = join(folder, ...path)
  return existsSync(found) ? found : undefined
}
