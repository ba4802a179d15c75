import { expect, test } from 'vitest'
import { versionPlan } from './version-plan.js'

const PRESENT = ['a.csv', 'B.csv', 'c/d.csv']

test('a version that keeps the present files moves those whose names are taken (B4)', () => {
  const plan = { added: ['b.csv', 'e.csv'], replaced: [], kept: ['a.csv', 'c/d.csv'], moved: ['B.csv'], removed: [] }
  expect(versionPlan(PRESENT, ['b.csv', 'e.csv'], true)).toEqual(plan)
})

test('a version that replaces them removes those that no new file is named like (B4)', () => {
  const plan = { added: ['e.csv'], replaced: ['b.csv'], kept: [], moved: [], removed: ['a.csv', 'c/d.csv'] }
  expect(versionPlan(PRESENT, ['b.csv', 'e.csv'], false)).toEqual(plan)
})
