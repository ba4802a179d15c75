import { statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'

/** Name of the database file inside the state folder. */
export const DATABASE_FILE = 'tidegate.sqlite'

/** A file of this name is locked as long as the database is in use. */
const USE_FILE = 'in-use.lock'

/**
 * Watches that the file at the path is the one that is open. What was removed or replaced goes on taking writes, and
 * loses them with the process. Answers a check, of a few microseconds, which throws where it is not.
 */
export function watchFile(path: string, db: Database.Database): () => void {
  const log = `${path}-wal`
  const found = (file: string) => statSync(file, { throwIfNoEntry: false })
  const first = { file: found(path), log: found(log) }
  let size = first.file?.size ?? 0
  return () => {
    const now = found(path)
    if (!now || now.ino !== first.file?.ino || now.dev !== first.file.dev) throw gone()
    if (found(log)?.ino !== first.log?.ino) throw gone()
    // an operator's VACUUM makes it smaller as well, but then it holds all of its pages
    if (now.size < size && (now.size === 0 || pages(db) > now.size)) throw gone()
    size = now.size
  }
}

/** Bytes of all pages, as the open database knows them. */
function pages(db: Database.Database): number {
  const [count] = db.pragma('page_count') as { page_count: number }[]
  const [size] = db.pragma('page_size') as { page_size: number }[]
  return (count?.page_count ?? 0) * (size?.page_size ?? 0)
}

function gone(): Error {
  return Object.assign(new Error('The database file is not the one that was opened.'), { code: 'STATE_GONE' })
}

/**
 * Takes the database of a folder into use, with others or alone, until the answer is called or the process is gone.
 * Throws where somebody else forbids it.
 */
export function takeIntoUse(folder: string, alone: boolean): () => void {
  const lock = new Database(join(folder, USE_FILE), { timeout: 0 })
  try {
    lock.exec(alone ? 'BEGIN EXCLUSIVE' : 'BEGIN')
    // the lock that others may have as well comes with the first read
    lock.prepare('SELECT count(*) AS n FROM sqlite_master').all()
    return () => {
      if (!lock.open) return
      // in this library a database stays open behind its statements, and would keep the lock
      lock.exec('ROLLBACK')
      lock.close()
    }
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error
    throw new InUseError(alone)
  }
}

/** Somebody else has a database in use, or in use alone. */
export class InUseError extends Error {
  constructor(alone: boolean) {
    super(alone ? 'it is in use: stop the service and its other commands first' : 'its state is being moved')
    this.name = 'InUseError'
  }
}
