import cluster from 'node:cluster'

/** Message from the primary process: the worker must stop. */
export const STOP = 'tidegate:stop'

/** Message from a worker: it listens for STOP from now on. */
export const LISTENING = 'tidegate:hears'

/** Message from a worker: it is stopping, on STOP or on a signal. */
export const STOPPING = 'tidegate:stops'

/** Process-wide, as signals are: heard before there is a composition root that could own it. */
let received: Promise<NodeJS.Signals> | undefined

/**
 * Resolves when the process is asked to stop. Listens from the first call on, so a command that must shut down cleanly at
 * any time calls it first. Every call returns the same promise.
 */
export function stopSignal(): Promise<NodeJS.Signals> {
  received ??= cluster.isWorker ? stopMessage() : firstSignal()
  return received
}

/** Whether a signal asks a process to stop. */
export function isStopSignal(signal: NodeJS.Signals | null): boolean {
  return signal === 'SIGINT' || signal === 'SIGTERM'
}

/** Resolves with the first SIGINT or SIGTERM. A second one terminates the process, the default action. */
function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
      resolve(signal)
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}

/**
 * Resolves when a worker is asked to stop, by the primary process or by a signal to the process group. Further signals
 * are ignored here and left to the primary; if that exits, its workers exit at once.
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
