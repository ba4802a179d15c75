import { SandboxError } from '@tidegate/protocol'

/** A task failed on its input. The message continues a sentence that begins with the name of the document. */
export class TaskFailure extends Error {}

/** The task missed its deadline. A retry may succeed: the machine may be overloaded. */
export class SandboxTimeout extends TaskFailure {
  constructor() {
    super('took too long to read')
  }
}

/** The thread ran out of memory. */
export class SandboxExhausted extends TaskFailure {
  constructor() {
    super('needs too much memory')
  }
}

/** The task threw an unexpected error, or its thread crashed. */
export class SandboxCrash extends TaskFailure {
  constructor() {
    super('cannot be read')
  }
}

/** Returns the error for a thread that cannot be started. */
export function threadUnavailable(): SandboxError {
  return new SandboxError('SANDBOX_UNAVAILABLE', 'Documents cannot be read at present. Try again later.')
}

/** Returns the error for a full queue. */
export function overloaded(): SandboxError {
  return new SandboxError('SANDBOX_UNAVAILABLE', 'Too many documents are being read. Try again in a moment.')
}

/** Returns the error for a sandbox that is closed. */
export function stopping(): SandboxError {
  return new SandboxError('SANDBOX_UNAVAILABLE', 'This instance is stopping. Send the request again.')
}

/** Maps an error of the thread pool to one of the sandbox. */
export function failureOf({ code }: NodeJS.ErrnoException): Error {
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new SandboxExhausted()
  // no free file descriptor for the thread or its module: the task is not at fault
  if (code === 'ERR_WORKER_INIT_FAILED' || code === 'EMFILE' || code === 'ENFILE') return threadUnavailable()
  return new SandboxCrash()
}

/** Whether the pool ended the thread of a new task. */
export function endedWithItsThread(error: unknown): boolean {
  return error instanceof Error && error.message === 'Terminating worker thread'
}
