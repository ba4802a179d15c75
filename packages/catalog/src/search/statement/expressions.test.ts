import { expect, test } from 'vitest'
import type { Condition } from '../conditions/condition.js'
import { Expressions } from './expressions.js'

/** Alternatives: more than are compared with each other. */
const MANY = 300

test('a condition that many statements share is written once', () => {
  let read = 0
  const counting: Condition = {
    op: 'token',
    get token() {
      read += 1
      return 'vfirst'
    },
  }
  const others = Array.from({ length: MANY }, (_, at): Condition => ({ op: 'token', token: `v${at}` }))
  const shared: Condition = { op: 'or', of: [counting, ...others] }
  const expressions = new Expressions('sqlite', { op: 'token', token: 'g1' })
  for (let part = 0; part < 60; part++) {
    const text = expressions.text({ op: 'and', of: [shared, { op: 'token', token: `part${part}` }] })
    expect(text).toMatch(new RegExp(`^\\(\\("vfirst" OR .*"v${MANY - 1}"\\) AND "part${part}"\\)$`))
  }
  expect(read).toBe(1)
})
