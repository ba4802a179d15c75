import { statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'

/** Database file in the state folder. */
export const DATABASE_FILE = 'tidegate.sqlite'

/** File whose lock marks the database as in use. */
const USE_FILE = 'in-use.lock'

/**
 * Guards against removal, replacement and truncation of an open database file: writes would still succeed, but be lost
 * at exit. Returns a check of a few microseconds, which throws in these cases.
 */
export function fileGuard(path: string, db: Database.Database): () => void {
  const wal = `${path}-wal`
  const stats = (file: string) => statSync(file, { throwIfNoEntry: false })
  const first = { file: stats(path), wal: stats(wal) }
  let size = first.file?.size ?? 0
  return () => {
    const current = stats(path)
    if (!current || current.ino !== first.file?.ino || current.dev !== first.file.dev) throw fileLost()
    if (stats(wal)?.ino !== first.wal?.ino) throw fileLost()
    // VACUUM also shrinks the file, but then the file holds all pages
    if (current.size < size && (current.size === 0 || pages(db) > current.size)) throw fileLost()
    size = current.size
  }
}

/** Returns the bytes of all pages of an open database. */
function pages(db: Database.Database): number {
  const [count] = db.pragma('page_count') as { page_count: number }[]
  const [size] = db.pragma('page_size') as { page_size: number }[]
  return (count?.page_count ?? 0) * (size?.page_size ?? 0)
}

function fileLost(): Error {
  return Object.assign(new Error('The database file is not the one that was opened.'), { code: 'STATE_GONE' })
}

/**
 * Marks the database of a folder as in use, shared or exclusively, until the returned function is called or the process
 * exits. Throws InUseError if another process prevents it.
 */
export function lockFolder(folder: string, exclusive: boolean): () => void {
  const lock = new Database(join(folder, USE_FILE), { timeout: 0 })
  try {
    lock.exec(exclusive ? 'BEGIN EXCLUSIVE' : 'BEGIN')
    // the first read takes the shared lock
    lock.prepare('SELECT count(*) AS n FROM sqlite_master').all()
    return () => {
      if (!lock.open) return
      // a closed database of this library stays open until its statements are collected, and would hold the lock
      lock.exec('ROLLBACK')
      lock.close()
    }
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error
    throw new InUseError(exclusive)
  }
}

/** Another process uses the database in a conflicting way. */
export class InUseError extends Error {
  constructor(exclusive: boolean) {
    super(
      exclusive
        ? 'it is in use: stop the service and its other commands first'
        : 'its state is being copied or restored',
    )
    this.name = 'InUseError'
  }
}
