import type { PresentEdit, PresentEdits } from '@tidegate/protocol/version-plan'
import { keep, kept } from '../kept.js'
import { isPlain } from './draft.js'
import type { NewFile } from './new-files.js'

/** A change of a present file. */
export type FileEdit = Omit<PresentEdit, 'file'> & {
  file?: NewFile
  /** Name of a chosen file that a reload has lost. */
  lost?: string
}

/** Changes by the place of their file in the list. */
export type FileEdits = ReadonlyMap<number, FileEdit>

const nameOf = (did: string) => `edit.${did}`

/** Returns the changes of files that an earlier visit has left, if they are about this version of the files. */
export function keptEdits(did: string, version: string | undefined): FileEdits {
  const read = (value: unknown) => {
    const { edits, version: known } = value as { edits: [number, FileEdit][]; version: string }
    if (known !== version) throw new Error('other files')
    return new Map(edits.map(([at, edit]) => [at, edit] as const))
  }
  return kept(nameOf(did), read, new Map())
}

/** Keeps changes over a reload, without locations that hold keys. None removes what was kept. */
export function keepEdits(did: string, version: string | undefined, edits: FileEdits): void {
  const storable = [...edits].map(([at, { file, ...edit }]) => [at, { ...edit, ...storedFile(file) }])
  keep(nameOf(did), storable.length > 0 ? { version, edits: storable } : undefined)
}

function storedFile(file: NewFile | undefined): Pick<FileEdit, 'file' | 'lost'> {
  if (!file) return {}
  return 'object' in file && isPlain(file.object) ? { file } : { lost: file.label }
}

/** Returns changes without those that change nothing, as a plan and the provider need them. */
export function effective(edits: FileEdits, names: readonly (string | undefined)[]): PresentEdits {
  return new Map(
    [...edits].flatMap(([at, { name, ...edit }]) => {
      const own = { ...edit, ...(name === undefined || name === names[at] ? {} : { name }) }
      return Object.keys(own).length > 0 ? [[at, own]] : []
    }),
  )
}

/** Returns the new files of changes, in their order. */
export const newFilesOf = (edits: FileEdits): NewFile[] => [...edits.values()].flatMap(({ file = [] }) => file)
