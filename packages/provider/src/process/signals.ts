import cluster from 'node:cluster'

/** Message of the primary process: the worker must stop. */
export const STOP = 'tidegate:stop'

/** Message of a worker: it listens for STOP now. */
export const LISTENING = 'tidegate:hears'

/** Message of a worker: it is stopping, on STOP or on a signal. */
export const STOPPING = 'tidegate:stops'

/** Global, since signals arrive before a composition root exists. */
let received: Promise<NodeJS.Signals> | undefined

/**
 * Resolves when the process must stop. Listens from the first call on, so a command calls it before it opens resources.
 * Every call returns the same promise.
 */
export function stopSignal(): Promise<NodeJS.Signals> {
  received ??= cluster.isWorker ? stopMessage() : firstSignal()
  return received
}

/** Whether a signal asks a process to stop. */
export function isStopSignal(signal: NodeJS.Signals | null): boolean {
  return signal === 'SIGINT' || signal === 'SIGTERM'
}

/** Milliseconds between two looks for the parent process. */
const PARENT_INTERVAL = 500

/** Resolves with the first SIGINT or SIGTERM, or when npx ends: it passes no SIGTERM on. A second signal terminates by default. */
function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      clearInterval(watch)
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
      resolve(signal)
    }
    const { ppid } = process
    const look = () => process.ppid !== ppid && stop('SIGTERM')
    // without npx a parent may leave, as a shell does
    const watch = process.env.npm_command === 'exec' ? setInterval(look, PARENT_INTERVAL).unref() : undefined
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}

/**
 * Resolves when a worker must stop: on a message of the primary process, or on a signal to the process group. Ignores
 * further signals: the primary handles them, and its exit ends the workers.
 */
function stopMessage(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      process.send?.(STOPPING, () => undefined)
      resolve(signal)
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
    process.on('message', (message) => {
      if (message === STOP) stop('SIGTERM')
    })
    process.send?.(LISTENING)
  })
}
