import { lstatSync, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isForeign } from '@tidegate/common/safe-files'
import { safeName } from '../download/headers.js'
import { TidegateError } from '../errors.js'

/** Most parts of a path: more than honest publishers use. */
const DEPTH = 32
/** Most parts of a name that are looked at: of those that strangers write, nothing may be left. */
const LOOKED_AT = 4 * DEPTH

/**
 * Returns a publisher's name of a file as a relative path of safe names. None is hidden: programs read such files as settings.
 * Empty if nothing is left.
 */
export function safePath(name: string): string {
  const path: string[] = []
  for (const part of name.split('/').slice(-LOOKED_AT).reverse()) {
    const safe = safeName(part)
    if (safe !== '') path.unshift(safe)
    if (path.length === DEPTH) break
  }
  return path.join('/')
}

/**
 * Returns the place of a safe path below a folder, and makes the folders on the way with `make`. Throws TidegateError
 * `NO_FOLDER` if one of them is a link, a file or another user's, and `NOT_A_FILE` if the place itself is a folder.
 */
export function placeBelow(root: string, path: string, make: boolean): string {
  const place = join(root, path)
  let folder = root
  for (const part of path.split('/').slice(0, -1)) {
    folder = join(folder, part)
    if (make) makeFolder(folder)
    const entry = lstatSync(folder, { throwIfNoEntry: false })
    if (!entry) return place
    if (!entry.isDirectory())
      throw new TidegateError(
        'NO_FOLDER',
        `${basename(folder)} is a link or a file, and a folder of this name is needed.`,
      )
    if (isForeign(entry, dirname(folder)))
      throw new TidegateError('NO_FOLDER', `The folder ${basename(folder)} belongs to another user.`)
  }
  // also a link to a folder
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory())
    throw new TidegateError('NOT_A_FILE', `${basename(place)} is a folder, and a file of this name is needed.`)
  return place
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
