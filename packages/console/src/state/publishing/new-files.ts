import { type FileObject, upload, withLocationNames } from '@tidegate/client'
import { typeOf } from '../../format/media-type.js'
import { contextNow } from '../context.js'
import { beginWork } from '../page/busy.js'
import type { FileEdits } from './file-edits.js'

/** A new file of an asset: one to upload, or one with a location. */
export type NewFile = { key: string; label: string } & ({ file: File } | { object: FileObject })

export interface NewFiles {
  files: NewFile[]
  keepOld: boolean
  /** Changes of present files, while these stay. */
  edits: FileEdits
}

/** Uploads of this visit by their file, so that a second attempt continues. */
const begun = new WeakMap<File, { id?: string; object?: FileObject }>()

/** Returns the storage objects of new files. Uploads in sequence. Throws TidegateError. */
export async function uploaded(
  files: readonly NewFile[],
  onProgress: (label: string, percent: number) => void,
): Promise<FileObject[]> {
  const objects: FileObject[] = []
  for (const one of files) objects.push('object' in one ? one.object : await sent(one, onProgress))
  return withLocationNames(objects)
}

async function sent(
  { file, label }: { file: File; label: string },
  onProgress: (label: string, percent: number) => void,
): Promise<FileObject> {
  const state = begun.get(file) ?? {}
  begun.set(file, state)
  if (state.object) return state.object
  const ended = beginWork()
  try {
    const { object } = await upload(contextNow(), file, {
      name: file.name,
      contentType: typeOf(file),
      ...(state.id ? { resume: state.id } : {}),
      onBegun: (id) => {
        state.id = id
      },
      onProgress: ({ sent, total }) => onProgress(label, total === 0 ? 100 : Math.floor((100 * sent) / total)),
    })
    state.object = object
    return object
  } finally {
    ended()
  }
}
