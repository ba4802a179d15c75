import { describe, expect, it } from 'vitest'
import { foundIn, rootOf, rowsOf, sizeOf } from './file-tree.js'

const tree = (...names: (string | undefined)[]) =>
  rootOf(names.map((name, index) => ({ index, available: true, size: index, ...(name === undefined ? {} : { name }) })))
const lines = (root: ReturnType<typeof rootOf>, ...open: string[]) =>
  rowsOf(root, new Set(open)).map(({ name, depth, kind }) => `${kind} ${depth} ${name}`)

describe('the tree of files', () => {
  it('is collapsed, with folders first, and a file beside a folder of its name', () => {
    const root = tree('a', 'a/x', 'b/c/y', 'b/c/z', '//d//w', undefined, '..', 'a')
    expect(lines(root)).toEqual([
      'folder 0 a/',
      'folder 0 b/c/',
      'folder 0 d/',
      'file 0 a',
      'file 0 undefined',
      'file 0 ..',
      'file 0 a',
    ])
    expect(lines(root, 'a/').slice(0, 3)).toEqual(['folder 0 a/', 'file 1 x', 'folder 0 b/c/'])
    expect(foundIn(root, ' B/C/').map(({ name }) => name)).toEqual(['b/c/y', 'b/c/z'])
  })

  it('sums sizes, and says if some are unknown', () => {
    expect(sizeOf(tree('a', 'b', 'c'))).toEqual({ bytes: 3, isWhole: true })
    expect(sizeOf(rootOf([{ index: 0, available: true }]))).toEqual({ bytes: 0, isWhole: false })
  })

  it('takes 20,000 names of 200 levels with one folder per open level', () => {
    const names = Array.from({ length: 20_000 }, (_, at) => `${'d/'.repeat(at % 200)}${at}`)
    const root = tree(...names)
    const open = Array.from({ length: 200 }, (_, at) => 'd/'.repeat(at + 1))
    expect(rowsOf(root, new Set()).length).toBe(101)
    expect(rowsOf(root, new Set(open)).length).toBe(20_199)
  })
})
