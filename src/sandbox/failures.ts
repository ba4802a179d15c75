import { SandboxError } from '../errors.js'

/** A task did not come to its end, for a reason of its own. The message goes on from the name of what was worked on. */
export class TaskFailure extends Error {}

/** The deadline passed. On a crowded machine it may be no fault of the task: it is worth a second try. */
export class SandboxTimeout extends TaskFailure {
  constructor() {
    super('took too long to read')
  }
}

/** The thread had no memory left. */
export class SandboxExhausted extends TaskFailure {
  constructor() {
    super('needs too much memory')
  }
}

/** The task threw, which it does not do on purpose, or its thread ended with it. */
export class SandboxCrash extends TaskFailure {
  constructor() {
    super('cannot be read')
  }
}

/** There is no thread to be had. */
export function unstartable(): SandboxError {
  return new SandboxError('SANDBOX_UNAVAILABLE', 'Documents cannot be read at present. Try again later.')
}

/** The sandbox is closed. */
export function stopping(): SandboxError {
  return new SandboxError('SANDBOX_UNAVAILABLE', 'This instance is stopping. Send the request again.')
}

/** What the pool rejects with, as what it means. */
export function failureOf({ code }: NodeJS.ErrnoException): Error {
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new SandboxExhausted()
  if (code === 'ERR_WORKER_INIT_FAILED') return unstartable()
  return new SandboxCrash()
}
