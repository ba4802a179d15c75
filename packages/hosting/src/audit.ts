import { createHash } from 'node:crypto'
import type { FileBackend } from './file-backend.js'
import type { HostedRow, HostedStore } from './hosted-store.js'
import { HOSTING_LIMITS } from './limits.js'

/** What is wrong with a file: its bytes are missing, fewer than acknowledged, or not those that were uploaded. */
export type FileFault = 'missing' | 'short' | 'altered'

/** Every file of a store, page by page. Throws StateError. */
export async function* allFiles(store: HostedStore, owner?: string): AsyncGenerator<HostedRow> {
  for (let after = ''; ; ) {
    const rows = await store.list(owner, after, HOSTING_LIMITS.hosting.page)
    yield* rows
    const last = rows.at(-1)
    if (rows.length < HOSTING_LIMITS.hosting.page || !last) return
    after = last.id
  }
}

/**
 * Reads the acknowledged bytes of a file, and compares them with its digest. Undefined if they are intact. Throws
 * HostingError, or the error of the backend.
 */
export async function faultOf(file: HostedRow, backend: FileBackend): Promise<FileFault | undefined> {
  // nothing was acknowledged, so its file may not exist yet
  if (file.received === 0 && file.sha256 === null) return undefined
  const size = await backend.sizeOf(file)
  if (size === undefined) return 'missing'
  if (size < file.received) return 'short'
  if (file.sha256 === null || file.size === 0) return undefined
  const hash = createHash('sha256')
  for await (const chunk of await backend.read(file, 0, file.size - 1)) hash.update(chunk as Uint8Array)
  return hash.digest('hex') === file.sha256 ? undefined : 'altered'
}

/** Counts orphaned files: those in the backend without a row in the store. They are never deleted automatically. */
export async function countOrphans(backend: FileBackend, store: HostedStore): Promise<number> {
  const removed = new Set((await store.removed(Number.MAX_SAFE_INTEGER)).map(({ id }) => id))
  let orphans = 0
  for await (const id of backend.ids()) if (!removed.has(id) && !(await store.find(id))) orphans += 1
  return orphans
}
