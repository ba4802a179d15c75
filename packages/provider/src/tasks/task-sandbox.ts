import { Sandbox, type SandboxOptions } from '@tidegate/common'
import type * as tasks from './worker.js'
import { taskWorker } from './worker-url.js'

/** The sandbox of the service: the tasks of `worker.ts`. */
export class TaskSandbox extends Sandbox<typeof tasks> {
  constructor(options: Partial<SandboxOptions> = {}) {
    super({ entry: taskWorker(), ...options })
  }
}
