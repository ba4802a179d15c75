import { expect, it } from 'vitest'
import { droppedFiles, MOST_FILES, pickedFiles } from './dropped.js'

type Tree = { [name: string]: Tree | File }

/** A dropped file or folder as browsers give it: a folder gives its entries in parts. */
function item(name: string, tree: Tree | File): DataTransferItem {
  const file = tree instanceof File ? tree : null
  return { kind: 'file', getAsFile: () => file, webkitGetAsEntry: () => entry(name, tree) } as never
}
function entry(name: string, tree: Tree | File): FileSystemEntry {
  if (tree instanceof File)
    return { name, isDirectory: false, file: (done: (file: File) => void) => done(tree) } as never
  const createReader = () => {
    const left = Object.entries(tree)
    return { readEntries: (done: (some: unknown[]) => void) => done(left.splice(0, 2).map((one) => entry(...one))) }
  }
  return { name, isDirectory: true, createReader } as never
}
const file = (name: string) => new File([name], name)

it('takes dropped files and folders with their paths, without hidden ones below them', async () => {
  const x = file('x')
  const found = await droppedFiles([
    item('tides', { b: { x, '.hidden': x }, a: { x }, '.git': { x }, c: x }),
    item('.top', file('.top')),
    { kind: 'string' } as DataTransferItem,
  ])
  expect(found.map(({ name }) => name)).toEqual(['.top', 'tides/a/x', 'tides/b/x', 'tides/c'])
  const many = Object.fromEntries(Array.from({ length: 2 * MOST_FILES }, (_, at) => [`${at}`, x]))
  expect(await droppedFiles([item('many', many)])).toHaveLength(MOST_FILES + 1)
})

it('takes picked files and folders with their paths, without hidden ones', () => {
  const picked = ['t/b', 't/.git/x', 't/a', '.t/a', ''].map((path) =>
    Object.assign(file('x'), { webkitRelativePath: path }),
  )
  expect(pickedFiles(picked).map(({ name }) => name)).toEqual(['.t/a', 't/a', 't/b', 'x'])
})
