import { expect, test } from 'vitest'
import { memoizedText } from './memo.js'

test('what is derived from a text is derived once, from a copy of it', () => {
  const derived: string[] = []
  const measured = memoizedText((text) => {
    derived.push(text)
    return { length: text.length }
  })
  const query = `address=0x${'ab'.repeat(20)}&other=1`
  const address = query.slice(8, 50)
  expect(measured(address)).toEqual({ length: 42 })
  expect(measured(query.slice(8, 50))).toBe(measured(address))
  expect(derived).toEqual([address])
})

test('a result that is false is kept as well', () => {
  let calls = 0
  const never = memoizedText(() => {
    calls += 1
    return false
  })
  expect([never('a'), never('a')]).toEqual([false, false])
  expect(calls).toBe(1)
})

test('the texts used longest ago are forgotten', () => {
  const derived: string[] = []
  const known = memoizedText((text) => derived.push(text) > 0)
  for (let at = 0; at <= 10_000; at++) known(String(at))
  known('0')
  expect(derived.filter((text) => text === '0')).toHaveLength(2)
})
