import { once } from 'node:events'
import { expect, it } from 'vitest'
import { atTurnEnd, cameOver, withOthers } from '../src/turn.js'

/** After the end of this turn. */
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

it('does the statements of a turn together, then the answers, also those that the statements made possible', async () => {
  const done: string[] = []
  atTurnEnd('answers', () => done.push('answer 1'))
  atTurnEnd('statements', () => {
    done.push('statement 1')
    Promise.resolve().then(() => atTurnEnd('answers', () => done.push('answer 2')))
  })
  atTurnEnd('statements', () => done.push('statement 2'))
  expect(done).toEqual([])
  await turn()
  expect(done).toEqual(['statement 1', 'statement 2', 'answer 1', 'answer 2'])
})

it('leaves out nothing that comes while it works', async () => {
  const done: string[] = []
  // each kind from each kind
  const steps = ['statements', 'statements', 'answers', 'answers', 'statements', 'answers'] as const
  const from = (at: number) => {
    const step = steps[at]
    if (!step) return
    atTurnEnd(step, () => {
      done.push(step)
      from(at + 1)
    })
  }
  from(0)
  await expect.poll(() => done).toEqual(steps)
})

it('keeps nobody from what is theirs where one fails', async () => {
  const listeners = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  const failure = once(process, 'uncaughtException')
  const done: string[] = []
  atTurnEnd('answers', () => {
    throw new Error('mine')
  })
  atTurnEnd('answers', () => done.push('theirs'))
  const [error] = await failure
  for (const listener of listeners) process.on('uncaughtException', listener)
  expect((error as Error).message).toBe('mine')
  expect(done).toEqual(['theirs'])
  atTurnEnd('answers', () => done.push('later'))
  await expect.poll(() => done).toEqual(['theirs', 'later'])
})

it('does not let one connection wait that is alone, and two that are not', () => {
  const done: string[] = []
  const [one, other] = [{}, {}]
  for (let request = 0; request < 20; request++) cameOver(one)
  withOthers('answers', () => done.push('at once'))
  expect(done).toEqual(['at once'])
  cameOver(other)
  withOthers('answers', () => done.push('later'))
  expect(done).toEqual(['at once'])
})
