import { expect, test } from 'vitest'
import { providerKey } from '../../../../protocol/src/crypto/keys.js'
import { FileIdentities } from './file-identity.js'

const [KEY, OLD] = [providerKey(`0x${'11'.repeat(32)}`), providerKey(`0x${'22'.repeat(32)}`)]
const url = (path: string, more = {}) => ({ type: 'url', url: `https://files.example/${path}`, method: 'GET', ...more })
const of = (objects: unknown[], ...keys: (typeof KEY)[]) =>
  new FileIdentities('did:op:1', objects, keys.length > 0 ? keys : [KEY])

test('a file is found wherever it is, under any name and order of fields, and not when it is gone (B2)', () => {
  const identity = of([url('a'), url('b', { name: 'b', headers: { x: '1', y: '2' } })]).of(1)
  const now = of([url('c'), url('a'), { method: 'GET', url: url('b').url, headers: { y: '2', x: '1' }, type: 'url' }])
  expect(now.find(identity, 1)).toBe(2)
  expect(of([url('a'), url('b')]).find(identity, 1)).toBeUndefined()
  expect(of([]).find(identity, 1)).toBeUndefined()
})

test('a copy is found where it was, or else first', () => {
  const copies = of([url('x'), url('a'), url('a'), url('a')])
  const identity = copies.of(2)
  expect([copies.find(identity, 2), copies.find(identity, 0), copies.find(identity, 99)]).toEqual([2, 1, 1])
})

test('all files are those in their order', () => {
  const all = of([url('a'), url('b')]).of(undefined)
  expect(of([url('a'), url('b', { name: 'other' })]).is(all, undefined)).toBe(true)
  for (const other of [[url('b'), url('a')], [url('a')], [url('a'), url('b'), url('b')]])
    expect(of(other).is(all, undefined)).toBe(false)
})

test('an identity of a previous key is known, and tells nothing without a key', () => {
  const identity = of([url('a')], OLD).of(0)
  expect(identity).toMatch(/^[0-9a-f]{32}$/)
  expect(of([url('b'), url('a')], KEY, OLD).find(identity, 0)).toBe(1)
  expect(of([url('a')], KEY).find(identity, 0)).toBeUndefined()
})

test.each([null, undefined, 7, 'text', []])('the object %o of a publisher has an identity', (object) => {
  const identities = of([object])
  expect(identities.find(identities.of(0), 0)).toBe(0)
})

test('a guess of a location in another asset has another identity (threat 125)', () => {
  const theirs = new FileIdentities('did:op:2', [url('a')], [KEY])
  expect(theirs.of(0)).not.toBe(of([url('a')]).of(0))
  expect(theirs.of(undefined)).not.toBe(of([url('a')]).of(undefined))
})

test('those of a long list are made in many turns of the event loop, for all who wait (threat 120)', async () => {
  const long = of(Array.from({ length: 5_000 }, (_, at) => url(`${at}`)))
  let turns = 0
  const count = () => {
    turns += 1
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const all = await Promise.all([long.prepare(), long.prepare()])
  clearImmediate(counting)
  expect(turns).toBeGreaterThanOrEqual(9)
  expect(all.map((one) => one.find(long.of(4_999), 0))).toEqual([4_999, 4_999])
})
