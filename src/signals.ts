import cluster from 'node:cluster'

/** What the first process of several tells the others to make them stop. */
export const STOP = 'tidegate:stop'

/** What each of the others tells the first one, from when on it can be told. */
export const HEARS = 'tidegate:hears'

/** What each of the others tells the first one when it was told, by that one or by a signal to all. */
export const STOPS = 'tidegate:stops'

let heard: Promise<NodeJS.Signals> | undefined

/**
 * Resolves when the process is told to stop, and hears that from the first call on: a command that is to end well at
 * any moment calls it before all else. Every call answers the same.
 */
export function stopSignal(): Promise<NodeJS.Signals> {
  heard ??= cluster.isWorker ? stopMessage() : firstSignal()
  return heard
}

/** The first SIGINT or SIGTERM; a second one ends the process at once, as the system would. */
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
 * The same for a worker: the first process says so, or a signal to all processes does. Later signals are left to the
 * first process; when that is gone, its workers end at once.
 */
function stopMessage(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      process.send?.(STOPS, () => undefined)
      resolve(signal)
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
    process.on('message', (message) => {
      if (message === STOP) stop('SIGTERM')
    })
    process.send?.(HEARS)
  })
}
