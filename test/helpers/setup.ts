import { pathToFileURL } from 'node:url'
import { afterAll, expect, vi } from 'vitest'
import { killChildren } from './children.js'
import { endAll } from './cleanup.js'
import { prepared } from './prepared.js'
import { countProcessorTime } from './processor-time.js'

// threads run the build of this test run, as in production: from source each takes more than twice as long to
// start, on a busy machine longer than a task's deadline. Under `vitest --watch` the source may be newer than the build
const built = (...path: string[]) => {
  const found = process.env.VITEST_MODE === 'WATCH' ? undefined : prepared('build', 'dist', ...path)
  return found === undefined ? undefined : () => pathToFileURL(found)
}
vi.mock('../../packages/provider/src/tasks/worker-url.js', (original) => {
  const taskWorker = built('tasks', 'worker.js')
  return taskWorker ? { taskWorker } : original()
})
vi.mock('../../packages/provider/src/auth/recovery-worker-url.js', (original) => {
  const recoveryWorker = built('auth', 'recovery-worker.js')
  return recoveryWorker ? { recoveryWorker } : original()
})
vi.mock('../../packages/catalog/src/batch-worker-url.js', (original) => {
  const batchWorker = built('catalog', 'batch-worker.js')
  return batchWorker ? { batchWorker } : original()
})
// the console of this test run, not that of the last `npm run build` of somebody
vi.mock('../../packages/provider/src/console/folder.js', (original) => {
  const consolePage = built('console', 'index.html')
  return consolePage ? { consoleFolder: () => new URL('.', consolePage()) } : original()
})

const counted = countProcessorTime(expect.getState().testPath ?? '')

// the last hook of a file: the processes that still run are those of tests that failed or timed out
afterAll(() => endAll().finally(killChildren).finally(counted))
