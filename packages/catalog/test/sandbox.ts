import { pathToFileURL } from 'node:url'
import { prepared } from '../../../test/helpers/prepared.js'
import { Sandbox } from '../../common/src/sandbox/sandbox.js'
import type * as tasks from '../src/document-tasks.js'

/** A sandbox with the tasks of this package; those of the build if it exists, which starts several times as fast. */
export class DocumentSandbox extends Sandbox<typeof tasks> {
  constructor() {
    const built = prepared('build', 'dist', 'tasks', 'worker.js')
    super({ entry: built ? pathToFileURL(built) : new URL('../src/document-tasks.ts', import.meta.url) })
  }
}
