import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Manifest } from './manifest.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const entry = (path: string, more = {}) =>
  JSON.stringify({ did: 'd', service: 's', path, bytes: 1, sha256: 'x', modified: 1, ...more })
const pathsIn = (text: string) => {
  writeFileSync(join(folder, '.tidegate.jsonl'), text)
  return [...new Manifest(folder).of('d', 's').keys()]
}

it('reads whole lines of paths below the folder alone (threat 146)', () => {
  const wrong = [
    ...[entry('../x'), entry('/x'), entry('.x'), entry(''), entry('b', { bytes: '1' }), entry('b', { id: 1 })],
    ...['null', '7', '[]', '{}', '{"did":', `"${'x'.repeat(20_000)}"`, entry(`${'y'.repeat(20_000)}`)],
  ]
  expect(pathsIn([entry('a'), ...wrong, entry('c'), '{"did":"d"'].join('\n'))).toEqual(['a', 'c'])
  expect(pathsIn('')).toEqual([])
})

it('knows the last line of a path, of each service', () => {
  const removed = JSON.stringify({ did: 'd', service: 's', path: 'a', removed: true })
  expect(pathsIn([entry('a'), removed].join('\n'))).toEqual([])
  expect(pathsIn([entry('a'), removed, entry('a')].join('\n'))).toEqual(['a'])
  expect(pathsIn([entry('a', { service: 'other' }), entry('b')].join('\n'))).toEqual(['b'])
})

it('is refused by name if it is longer than the versions of any asset (threat 146)', () => {
  expect(() => pathsIn('\n'.repeat(65 << 20))).toThrow(/\.tidegate\.jsonl is too long/)
})
