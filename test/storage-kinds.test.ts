import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { STORAGE_TYPES } from '../packages/storage/src/kinds/registry.js'
import { DESCRIPTORS } from '../stress/fuzz/lib/honest.js'
import { REPOSITORY } from './helpers/pages.js'

const read = (path: string) => readFileSync(REPOSITORY + path, 'utf8')
const testsOf = (folder: string) =>
  readdirSync(REPOSITORY + folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => read(`${folder}/${name}`))
    .join('\n')

/** A new kind must be added to these lists. */
describe.each(STORAGE_TYPES)('the storage kind %s', (type) => {
  it('has an example that is fuzzed and searched for leaks', () => {
    expect(DESCRIPTORS.map((object) => object.type)).toContain(type)
  })

  it('passes the suite of all kinds', () => {
    const tests = testsOf('packages/storage/test/kinds') + testsOf('packages/hosting/test')
    expect(tests).toMatch(new RegExp(`kindSuite\\(\\s*'${type}'|\\['${type}', '\\w+'\\]`))
  })
})
