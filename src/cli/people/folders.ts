import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

/** A folder of the XDG Base Directory Specification; by it, a path that is not absolute counts as not given. */
const base = (variable: string, usual: string | undefined): string | undefined => {
  const given = process.env[variable]
  return given && isAbsolute(given) ? given : usual
}

/** Where `tidegate use` keeps its choice. */
export const configFolder = () => join(base('XDG_CONFIG_HOME', join(homedir(), '.config')) as string, 'tidegate')

const stateFolder = () => base('XDG_STATE_HOME', join(homedir(), '.local', 'state')) as string

/** Where it is kept which uploads were begun: each holds the id of a file, a secret. */
export const uploadsFolder = () => join(stateFolder(), 'tidegate', 'uploads')

/** Where a running program announces itself; the runtime folder does not exist on every system, nor in every session. */
export function runFolders(): string[] {
  const runtime = base('XDG_RUNTIME_DIR', undefined)
  return [...(runtime ? [runtime] : []), stateFolder()].map((folder) => join(folder, 'tidegate'))
}

/** Writes a file that its owner alone may read, at once or not at all. Throws the error of the file system. */
export function writePrivately(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: 'wx', flush: true })
    // the mode of a new file is narrowed by the umask, which may be anything
    chmodSync(temporary, 0o600)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
