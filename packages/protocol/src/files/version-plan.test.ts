import { expect, test } from 'vitest'
import { type PresentEdit, renameProblem, requestedEdits, versionPlan } from './version-plan.js'

const PRESENT = ['a.csv', 'B.csv', 'c/d.csv']
const NOTHING = { added: [], replaced: [], renamed: [], kept: [], moved: [], removed: [] }

test('a version that keeps the present files moves those whose names are taken (B4)', () => {
  const plan = { ...NOTHING, added: ['b.csv', 'e.csv'], kept: ['a.csv', 'c/d.csv'], moved: ['B.csv'] }
  expect(versionPlan(PRESENT, ['b.csv', 'e.csv'], true)).toEqual(plan)
})

test('a version that replaces them removes those that no new file is named like (B4)', () => {
  const plan = { ...NOTHING, added: ['e.csv'], replaced: ['b.csv'], removed: ['a.csv', 'c/d.csv'] }
  expect(versionPlan(PRESENT, ['b.csv', 'e.csv'], false)).toEqual(plan)
})

test('a version with changes of single files tells each by its name', () => {
  const edits = new Map<number, PresentEdit>([
    [0, { file: {}, name: 'b.csv' }],
    [2, { remove: true }],
  ])
  const plan = { ...NOTHING, replaced: ['a.csv'], renamed: ['a.csv → b.csv'], moved: ['B.csv'], removed: ['c/d.csv'] }
  expect(versionPlan(PRESENT, [], true, edits)).toEqual(plan)
  expect(versionPlan(['a', 'b'], [], true, new Map([[0, { file: {} }]]))).toEqual({
    ...NOTHING,
    replaced: ['a'],
    kept: ['b'],
  })
})

test.each<[string, [number, PresentEdit][], string | undefined]>([
  ['the name of a file that stays', [[0, { name: 'b.CSV' }]], 'is the name of a file that stays'],
  [
    'the name of one that goes',
    [
      [0, { name: 'b.csv' }],
      [1, { remove: true }],
    ],
    undefined,
  ],
  [
    'each the name of the other',
    [
      [0, { name: 'B.csv' }],
      [1, { name: 'a.csv' }],
    ],
    undefined,
  ],
  ['another case', [[0, { name: 'A.csv' }]], undefined],
  [
    'one name',
    [
      [0, { name: 'é' }],
      [1, { name: 'E\u0301' }],
    ],
    'is the new name of two files',
  ],
  ['a folder', [[0, { name: 'C' }]], 'is the name of a folder'],
  [
    'a folder of another name',
    [
      [0, { name: 'x/y' }],
      [1, { name: 'x' }],
    ],
    'is the name of a folder',
  ],
  ['a file as folder', [[0, { name: 'b.csv/x' }]], 'is below a file, not a folder'],
  ['its own', [[0, { name: 'a.csv' }]], 'is its name already'],
  ['a new file', [[0, { name: 'NEW.csv' }]], 'is the name of a new file'],
  ['a path elsewhere', [[0, { name: '../a' }]], 'must not contain empty parts, . or ..'],
])('files that get %s', (_, edits, problem) => {
  expect(renameProblem(PRESENT, ['new.csv', undefined], new Map(edits))?.problem).toBe(problem)
})

test('a file that replaces another has its name, if that is a public name', () => {
  const edits = new Map<number, PresentEdit>([
    [1, { file: {} }],
    [0, { file: {}, name: 'b' }],
    [2, { remove: true }],
  ])
  const present = [{ index: 7, name: 'a' }, { index: 8, name: '/c' }, { index: 9 }]
  expect(requestedEdits(edits, present, [{ name: 'one' }, { name: 'two' }])).toEqual([
    { index: 8, file: {} },
    { index: 7, name: 'b', file: { name: 'a' } },
    { index: 9, remove: true },
  ])
})
