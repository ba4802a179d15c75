// Tasks that only packages/common/test/sandbox.test.ts runs.
import { getHeapStatistics } from 'node:v8'
import { threadId } from 'node:worker_threads'

export const echo = (value) => value
export const thread = () => threadId
/** The most that the heap may take, in MiB. */
export const heap = () => getHeapStatistics().heap_size_limit / 1_048_576
export const environment = () => ({ ...process.env })
/** Ends when the first number of the memory is not 0. */
export const released = (memory) => void Atomics.wait(new Int32Array(memory), 0, 0)
export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
export const endless = () => {
  for (;;) Math.random()
}
export const greedy = () => {
  const kept = []
  for (;;) kept.push({ at: kept.length })
}
export const recursive = () => recursive() + 1
export const throwing = () => {
  throw new Error('hunter2')
}
export const exiting = () => process.exit(3)
export const dying = () => {
  setImmediate(() => {
    throw new Error('hunter2')
  })
  return new Promise(() => undefined)
}
export const uncopyable = () => () => undefined
/** As Node ends a thread whose module loader has no descriptor left. */
export const starved = () => {
  setImmediate(() => {
    throw Object.assign(new Error('EMFILE: hunter2'), { code: 'EMFILE' })
  })
  return new Promise(() => undefined)
}
