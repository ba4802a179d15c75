import { access, constants, mkdir, statfs } from 'node:fs/promises'
import type { Settings } from '../../config/schema.js'
import type { Finding } from './files.js'

/** Checks the folder of cached blocks, if there is one. A failure is a warning: downloads work without it. */
export async function* cacheFindings({
  STORAGE_CACHE_DIR: folder,
  STORAGE_CACHE_SIZE: size,
}: Settings): AsyncGenerator<Finding> {
  if (folder === undefined) return
  const name = `cache of files: STORAGE_CACHE_DIR ${folder}`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    const { bavail, bsize } = await statfs(folder)
    const left = Number(bavail) * Number(bsize)
    const text = `${name} may hold ${size} bytes, ${left} bytes are left there`
    yield { ok: true, text }
  } catch (error) {
    yield { ok: false, optional: true, text: `${name} cannot be used: ${(error as NodeJS.ErrnoException).code}` }
  }
}
