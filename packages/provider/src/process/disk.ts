import { statfs } from 'node:fs/promises'
import type { Settings } from '../config/schema.js'

/** Returns whether the index may write, by INDEX_DISK_FLOOR. */
export async function hasRoomForIndex(settings: Settings): Promise<boolean> {
  return ((await diskLeft(settings)) ?? Number.POSITIVE_INFINITY) >= settings.INDEX_DISK_FLOOR
}

/** Returns the free bytes on the disk of the embedded database; undefined with PostgreSQL, or if unknown. */
export async function diskLeft({ DATABASE_URL, STATE_DIR }: Settings): Promise<number | undefined> {
  if (DATABASE_URL !== undefined) return undefined
  const disk = await statfs(STATE_DIR).catch(() => undefined)
  return disk && disk.bavail * disk.bsize
}
