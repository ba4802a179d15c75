import { expect, it } from 'vitest'
import { seenOf } from '../chain/moment.js'
import type { Context } from '../context.js'
import { untilIndexed } from './until-indexed.js'

const CHAIN = 8996

/** A client that has a transaction in block 7, of a provider that answers about its index in turn. */
function clientOf(answers: unknown[]): { context: Context; asked: () => number } {
  const chain = {}
  let asked = 0
  const context = { api: { get: async () => answers[Math.min(asked++, answers.length - 1)] }, chain: async () => chain }
  seenOf(chain as never, CHAIN).mined = [7]
  return { context: context as never, asked: () => asked }
}
const told = (block: number | null) => ({ chains: [{ chainId: CHAIN, block }] })

it('waits for an index that has read no block yet, and for none that is not told', async () => {
  const begins = clientOf([told(null), told(3), told(7)])
  expect([await untilIndexed(begins.context, CHAIN), begins.asked()]).toEqual([true, 3])
  const silent = clientOf([{}])
  expect([await untilIndexed(silent.context, CHAIN), silent.asked()]).toEqual([false, 1])
})
