import type { AssetFile } from '@tidegate/client'

/** A file and its parts of a path: a publisher's name without empty parts. */
interface Placed {
  file: AssetFile
  path: string
}

/** A folder. Its entries are found when it is opened: names of hostile publishers have more folders than memory. */
export interface Folder {
  /** Path from the root, with a slash at its end; empty for the root. */
  path: string
  files: readonly Placed[]
}

/** A line of the shown tree. */
export type Row =
  | { kind: 'folder'; folder: Folder; name: string; depth: number; isOpen: boolean }
  | { kind: 'file'; file: AssetFile; name: string | undefined; depth: number }

/** Returns the folder of all files. */
export function rootOf(files: readonly AssetFile[]): Folder {
  const placed = files.map((file) => ({ file, path: (file.name ?? '').split('/').filter(Boolean).join('/') }))
  return { path: '', files: placed }
}

/** Returns the lines of a folder: its folders, the open ones with their lines, then its files in the publisher's order. */
export function rowsOf(root: Folder, open: ReadonlySet<string>): Row[] {
  const rows: Row[] = []
  // a stack instead of recursion, which deep names could exhaust
  const pending: Row[] = shownOf(root, 0, open).reverse()
  for (let row = pending.pop(); row; row = pending.pop()) {
    rows.push(row)
    if (row.kind === 'folder' && row.isOpen) {
      for (const inner of shownOf(row.folder, row.depth + 1, open).reverse()) pending.push(inner)
    }
  }
  return rows
}

/** Returns the files whose names contain a text, whatever its case. */
export function foundIn({ files }: Folder, text: string): Row[] {
  const wanted = text.trim().toLowerCase()
  return files
    .filter(({ path }) => path.toLowerCase().includes(wanted))
    .map(({ file, path }) => ({ kind: 'file', file, name: path || undefined, depth: 0 }))
}

/** Returns the known bytes of a folder, and whether the sizes of all its files are known. */
export function sizeOf({ files }: Folder): { bytes: number; isWhole: boolean } {
  const known = files.flatMap(({ file: { size } }) => size ?? [])
  return { bytes: known.reduce((sum, size) => sum + size, 0), isWhole: known.length === files.length }
}

/** Entries of folders that were opened: a click finds those of one folder. */
const known = new WeakMap<Folder, Row[]>()

function shownOf(folder: Folder, depth: number, open: ReadonlySet<string>): Row[] {
  const entries = known.get(folder) ?? entriesOf(folder, depth)
  known.set(folder, entries)
  return entries.map((row) => (row.kind === 'folder' && open.has(row.folder.path) ? { ...row, isOpen: true } : row))
}

function entriesOf({ path: parent, files }: Folder, depth: number): Row[] {
  const folders = new Map<string, Placed[]>()
  const own: Row[] = []
  for (const placed of files) {
    const end = placed.path.indexOf('/', parent.length)
    if (end === -1) {
      own.push({ kind: 'file', file: placed.file, name: placed.path.slice(parent.length) || undefined, depth })
      continue
    }
    const name = placed.path.slice(parent.length, end + 1)
    const inside = folders.get(name)
    if (inside) inside.push(placed)
    else folders.set(name, [placed])
  }
  const rows = [...folders].map(([name, inside]): Row => {
    // a chain of folders with one entry each is one line
    const path = commonFolder(inside, parent.length + name.length)
    return {
      kind: 'folder',
      folder: { path, files: inside },
      name: path.slice(parent.length),
      depth,
      isOpen: false,
    }
  })
  return [...rows, ...own]
}

/** Returns the longest path of a folder that has all files in it. The paths are alike up to `known` characters. */
function commonFolder(files: readonly Placed[], known: number): string {
  const { path: first } = files[0] as Placed
  let length = first.lastIndexOf('/') + 1
  for (const { path } of files) {
    let same = known
    while (same < length && path[same] === first[same]) same++
    length = first.lastIndexOf('/', same - 1) + 1
  }
  return first.slice(0, length)
}
