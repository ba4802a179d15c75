import type { AssetFile } from '@tidegate/client'
import { type PresentEdit, renameProblem } from '@tidegate/protocol/version-plan'
import { misuse } from '@tidegate/provider/commands/failures'
import { distance } from 'fastest-levenshtein'
import { shown } from '../output/text.js'
import { type Source, type SourceOptions, sourcesOf } from './sources.js'

/** Changes of single present files, as the command names them. */
export interface EditOptions {
  /** NAME=FILE. */
  replace?: string[]
  /** NAME. */
  remove?: string[]
  /** NAME=NEW. */
  rename?: string[]
}

/** A change of one present file: `file` takes its place. */
export type Edit = PresentEdit & { file?: Source }

type Option = '--replace' | '--remove' | '--rename'

/**
 * Returns changes by the place of their files in the list. A file is named as buyers see it, or by its number. Throws
 * CommandError, which names option and file, for an unknown or ambiguous name, and for changes that contradict each other.
 */
export function editsOf(
  { replace = [], remove = [], rename = [] }: EditOptions,
  files: readonly AssetFile[],
  added: readonly Source[],
  options: SourceOptions,
): Map<number, Edit> {
  const edits = new Map<number, Edit>()
  const used = new Set<string>()
  const add = (option: Option, at: number, edit: Edit) => {
    const before = edits.get(at) ?? {}
    if (used.has(`${option} ${at}`)) throw misuse(`${option}: ${nameOf(files, at)} is named twice.`)
    // a replaced file may get another name
    if (before.remove) throw misuse(`${option} and --remove contradict each other: both name ${nameOf(files, at)}.`)
    used.add(`${option} ${at}`)
    edits.set(at, { ...before, ...edit })
  }
  for (const text of remove) add('--remove', placeOf('--remove', text, files), { remove: true })
  for (const text of replace) {
    const [at, path] = pairOf('--replace', text, files)
    add('--replace', at, { file: sourceFor(`--replace ${nameOf(files, at)}`, path, options) })
  }
  for (const text of rename) {
    const [at, name] = pairOf('--rename', text, files)
    add('--rename', at, { name })
  }
  assertPossible(edits, files, added)
  return edits
}

function assertPossible(edits: ReadonlyMap<number, Edit>, files: readonly AssetFile[], added: readonly Source[]): void {
  const next = added.map((source) => ('object' in source ? source.object.name : source.name) as string | undefined)
  const found = renameProblem(
    files.map(({ name }) => name),
    next,
    edits,
  )
  if (found) {
    const { name = '' } = edits.get(found.at) ?? {}
    throw misuse(`--rename ${nameOf(files, found.at)}: ${shown(name)} ${found.problem}.`)
  }
  const removed = [...edits.values()].filter(({ remove }) => remove).length
  if (removed === files.length && added.length === 0)
    throw misuse('--remove names every file, and an asset needs one. To end its sale, use revoke.')
}

/** Returns the only file that replaces another. Throws CommandError. */
function sourceFor(option: string, path: string, options: SourceOptions): Source {
  const found = (() => {
    try {
      return sourcesOf([path], [], options)
    } catch (error) {
      throw misuse(`${option}: ${(error as Error).message}`)
    }
  })()
  if (!found[0] || found.length > 1) throw misuse(`${option}: ${shown(path)} must be one file.`)
  return found[0]
}

/** Splits NAME=VALUE where NAME is a file: names and values may contain `=` as well. */
function pairOf(option: Option, text: string, files: readonly AssetFile[]): [number, string] {
  const splits = [...text.matchAll(/=/g)].map(({ index }) => [text.slice(0, index), text.slice(index + 1)] as const)
  const usable = splits.filter(([name, value]) => name !== '' && value !== '')
  const [first] = usable
  if (!first) throw misuse(`${option} ${shown(text)}: must be NAME=${option === '--replace' ? 'FILE' : 'NEW'}.`)
  const [found = first, second] = usable.filter(([name]) => isNamed(name, files))
  if (second) throw misuse(`${option} ${shown(text)}: may begin with two names. Choose the file by its number.`)
  return [placeOf(option, found[0], files), found[1]]
}

const isNamed = (text: string, files: readonly AssetFile[]) => placesOf(text, files).length > 0

function placesOf(text: string, files: readonly AssetFile[]): number[] {
  const isNumber = /^\d{1,9}$/.test(text)
  return files.flatMap(({ index, name }, at) => ((isNumber ? index === Number(text) : name === text) ? at : []))
}

/** Returns the place of a file in the list. Throws CommandError, which names the nearest files. */
function placeOf(option: Option, text: string, files: readonly AssetFile[]): number {
  const [at, second] = placesOf(text, files)
  if (second !== undefined) throw misuse(`${option}: several files are named ${shown(text)}. Choose one by its number.`)
  if (at !== undefined) return at
  const near = nearest(text, files)
  throw misuse(
    `${option}: there is no file ${shown(text)}.${near.length > 0 ? ` The nearest are: ${near.join(', ')}.` : ''}`,
  )
}

/** Most names that an error tells, and most characters of a name that are compared. */
const NEAREST = 3
const COMPARED = 200

function nearest(text: string, files: readonly AssetFile[]): string[] {
  const edits = (name: string) => distance(text.slice(-COMPARED).toLowerCase(), name.slice(-COMPARED).toLowerCase())
  return files
    .flatMap(({ index, name }) => (name === undefined ? [] : [{ index, name, edits: edits(name) }]))
    .sort((one, other) => one.edits - other.edits)
    .slice(0, NEAREST)
    .map(({ index, name }) => `${shown(name)} (${index})`)
}

function nameOf(files: readonly AssetFile[], at: number): string {
  const { index, name } = files[at] as AssetFile
  return name === undefined ? `file ${index}` : shown(name)
}

/** Returns the files that replace others, in the order of the edits. */
export const replacing = (edits: ReadonlyMap<number, Edit>): Source[] =>
  [...edits.values()].flatMap(({ file = [] }) => file)

/** Returns the edits with other files that replace, in the order of `replacing`. */
export function withReplacing(edits: ReadonlyMap<number, Edit>, files: readonly Source[]): Map<number, Edit> {
  const next = [...files]
  return new Map(
    [...edits].map(([at, edit]) => [at, edit.file ? { ...edit, file: next.shift() ?? edit.file } : edit] as const),
  )
}
