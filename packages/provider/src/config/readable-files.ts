import { statSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { readTextFile } from '@tidegate/common'
import { withoutReturns } from './load.js'
import { SETTINGS, type Setting } from './schema.js'

/** The bit of a mode that lets every user read. */
const READABLE_BY_ALL = 0o004

/**
 * Returns the names of the secret files of the settings that every user of this machine may read, and the settings file if it holds a
 * secret. Such a file is no error: in a container there may be no other user. Call it after `loadSettings`.
 */
export function readableFiles(own: Record<string, string | undefined>, file?: string): string[] {
  const environment = withoutReturns(own)
  const fromFile: Record<string, string | undefined> = file === undefined ? {} : parseEnv(readTextFile(file))
  const secrets = Object.entries(SETTINGS as Record<string, Setting<unknown>>).flatMap(([name, { secret }]) =>
    secret ? [name] : [],
  )
  const named = secrets.flatMap((name): [string, string][] => {
    const path = environment[`${name}_FILE`] || fromFile[`${name}_FILE`]
    // a value wins over its file
    return path && !(environment[name] || fromFile[name]) ? [[`${name}_FILE`, path]] : []
  })
  // the settings file alone is named by its path: that of a secret may be the secret itself, under the wrong name
  if (file !== undefined && secrets.some((name) => fromFile[name])) named.push([file, file])
  return named.filter(([, path]) => isReadableByAll(path)).map(([name]) => name)
}

function isReadableByAll(path: string): boolean {
  // Windows has no such modes
  if (process.geteuid === undefined) return false
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats?.isFile() === true && (stats.mode & READABLE_BY_ALL) !== 0
}
