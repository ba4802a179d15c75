import { once } from 'node:events'
import { expect, it } from 'vitest'
import { TickBatch } from '../../../common/src/tick-batch.js'

/** Resolves after the end of this tick. */
const tick = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

it('runs the statements of a tick, then its responses, including those that the statements have triggered', async () => {
  const batch = new TickBatch()
  const done: string[] = []
  batch.add('responses', () => done.push('answer 1'))
  batch.add('statements', () => {
    done.push('statement 1')
    Promise.resolve().then(() => batch.add('responses', () => done.push('answer 2')))
  })
  batch.add('statements', () => done.push('statement 2'))
  expect(done).toEqual([])
  await tick()
  expect(done).toEqual(['statement 1', 'statement 2', 'answer 1', 'answer 2'])
})

it('runs work that is added during a flush', async () => {
  const batch = new TickBatch()
  const done: string[] = []
  // every transition between the two kinds
  const steps = ['statements', 'statements', 'responses', 'responses', 'statements', 'responses'] as const
  const from = (at: number) => {
    const step = steps[at]
    if (!step) return
    batch.add(step, () => {
      done.push(step)
      from(at + 1)
    })
  }
  from(0)
  await expect.poll(() => done).toEqual(steps)
})

it('runs the rest of the batch when one piece of work throws', async () => {
  const batch = new TickBatch()
  const listeners = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  const failure = once(process, 'uncaughtException')
  const done: string[] = []
  batch.add('responses', () => {
    throw new Error('mine')
  })
  batch.add('responses', () => done.push('theirs'))
  const [error] = await failure
  for (const listener of listeners) process.on('uncaughtException', listener)
  expect((error as Error).message).toBe('mine')
  expect(done).toEqual(['theirs'])
  batch.add('responses', () => done.push('later'))
  await expect.poll(() => done).toEqual(['theirs', 'later'])
})

it('runs work immediately for a single active connection, and batches that of several', () => {
  const batch = new TickBatch()
  const done: string[] = []
  const [one, other] = [{}, {}]
  for (let request = 0; request < 20; request++) batch.requestFrom(one)
  batch.addIfShared('responses', () => done.push('at once'))
  expect(done).toEqual(['at once'])
  batch.requestFrom(other)
  batch.addIfShared('responses', () => done.push('later'))
  expect(done).toEqual(['at once'])
})

it('runs later work with that of the next tick, but at the end of this one for a single active connection', async () => {
  const batch = new TickBatch()
  const done: string[] = []
  batch.addLater('statements', () => done.push('commit'))
  batch.add('statements', () => done.push('this tick'))
  await new Promise<void>((resolve) => setImmediate(resolve))
  batch.add('statements', () => done.push('next tick'))
  await tick()
  expect(done).toEqual(['this tick', 'commit', 'next tick'])
  const one = {}
  for (let request = 0; request < 20; request++) batch.requestFrom(one)
  batch.addLater('statements', () => done.push('single'))
  await new Promise<void>((resolve) => setImmediate(() => resolve()))
  expect(done.at(-1)).toBe('single')
})
