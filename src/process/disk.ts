import { statfs } from 'node:fs/promises'
import type { Settings } from '../config/schema.js'

/** Returns the free bytes on the disk of the embedded database; undefined with PostgreSQL, or if they are unknown. */
export async function diskLeft({ DATABASE_URL, STATE_DIR }: Settings): Promise<number | undefined> {
  if (DATABASE_URL !== undefined) return undefined
  const disk = await statfs(STATE_DIR).catch(() => undefined)
  return disk && disk.bavail * disk.bsize
}
