import { pathToFileURL } from 'node:url'
import { afterAll, vi } from 'vitest'
import { killChildren } from './children.js'
import { prepared } from './prepared.js'

// sandbox threads run the build of this test run, as in production: from source each takes more than twice as long to
// start, on a busy machine longer than a task's deadline. Under `vitest --watch` the source may be newer than the build
vi.mock('../../src/sandbox/document-worker.js', (original) => {
  const worker = process.env.VITEST_MODE === 'WATCH' ? undefined : prepared('build', 'dist', 'sandbox', 'worker.js')
  return worker === undefined ? original() : { documentWorker: () => pathToFileURL(worker) }
})

// the last hook of a file: its own processes have ended by then, unless a test failed or timed out
afterAll(killChildren)
