import { expect, test } from 'vitest'
import { Places } from './places.js'

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Places of which each caller writes down its turn or refusal. */
function told(count: number, queue = 64) {
  const places = new Places(count, queue, () => new Error('full'))
  const log: string[] = []
  const take = async (client: string | undefined, name = `${client}`, signal?: AbortSignal) => {
    places
      .take({ client, signal })
      .then(() => log.push(name))
      .catch((error: Error) => log.push(`${name} ${error.message}`))
    await settled()
  }
  const release = async (client: string | undefined) => {
    places.release(client)
    await settled()
  }
  return { places, take, release, turns: () => log.splice(0) }
}

test('a client gets no more places than it leaves, and others get theirs at once', async () => {
  const { take, turns } = told(5)
  for (let count = 0; count < 10; count++) await take('busy')
  expect(turns()).toEqual(['busy', 'busy', 'busy'])
  await take('second')
  await take('second')
  await take('third')
  expect(turns()).toEqual(['second', 'third'])
})

test.each([1, 2, 3])('one client alone gets a place of %s, and the next one when it is free', async (count) => {
  const { take, release, turns } = told(count)
  for (let at = 0; at < 4; at++) await take('only')
  const first = turns()
  expect(first).toHaveLength(Math.ceil(count / 2))
  await release('only')
  await release('only')
  expect(turns()).toHaveLength(2)
})

test('the next place goes to the client with the fewest, then to the one that has waited longest', async () => {
  const { take, release, turns } = told(3)
  for (const client of ['busy', 'busy', 'second']) await take(client)
  expect(turns()).toEqual(['busy', 'busy', 'second'])
  await take('busy', 'third of busy')
  await take('new')
  await take('newer')
  await release('busy')
  expect(turns()).toEqual(['new'])
  await release('second')
  expect(turns()).toEqual(['newer'])
})

test('callers without a client share all places, in their order', async () => {
  const { take, release, turns } = told(3)
  for (const name of ['a', 'b', 'c', 'd', 'e']) await take(undefined, name)
  expect(turns()).toEqual(['a', 'b', 'c'])
  await release(undefined)
  await release(undefined)
  expect(turns()).toEqual(['d', 'e'])
})

test('a full queue refuses the last waiter of the client with the most for one of another', async () => {
  const { take, turns } = told(1, 4)
  await take('holder')
  for (let at = 1; at <= 5; at++) await take('flood', `flood ${at}`)
  await take('honest')
  await take('honest')
  await take('honest')
  await take(undefined, 'spared')
  expect(turns()).toEqual(['holder', 'flood 5 full', 'flood 4 full', 'flood 3 full', 'honest full', 'flood 2 full'])
})

test('a search that leaves the queue gets no place, and all are refused at the end', async () => {
  const { places, take, release, turns } = told(1)
  const left = new AbortController()
  await take('holder')
  await take('one', 'one', left.signal)
  await take('two')
  left.abort(new Error('left'))
  await settled()
  await release('holder')
  await take('three')
  expect(turns()).toEqual(['holder', 'one left', 'two'])
  places.close()
  await settled()
  await take('four')
  expect(turns()).toEqual(['three full', 'four full'])
})
