import type { FileBackend } from './file-backend.js'
import { storedHash } from './hashes.js'
import type { HostedRow, HostedStore } from './hosted-store.js'
import { HOSTING_LIMITS } from './limits.js'

/** A fault of a stored file: no bytes, fewer than acknowledged, or a wrong SHA-256. */
export type FileFault = 'missing' | 'short' | 'altered'

/** Yields the files of one owner, or of all, page by page. Throws StateError. */
export async function* allFiles(store: HostedStore, owner?: string): AsyncGenerator<HostedRow> {
  for (let after = ''; ; ) {
    const rows = await store.list(owner, after, HOSTING_LIMITS.hosting.page)
    yield* rows
    const last = rows.at(-1)
    if (rows.length < HOSTING_LIMITS.hosting.page || !last) return
    after = last.id
  }
}

/** Checks the acknowledged bytes of a file. Undefined if they are intact. Throws HostingError or the backend's error. */
export async function faultOf(file: HostedRow, backend: FileBackend): Promise<FileFault | undefined> {
  // no bytes are acknowledged, so the file may not exist yet
  if (file.received === 0 && file.sha256 === null) return undefined
  const size = await backend.sizeOf(file)
  if (size === undefined) return 'missing'
  if (size < file.received) return 'short'
  if (file.sha256 === null || file.size === 0) return undefined
  return (await storedHash(file, backend)) === file.sha256 ? undefined : 'altered'
}

/** Counts files in the backend without a row in the store. They are never deleted automatically. */
export async function countOrphans(backend: FileBackend, store: HostedStore): Promise<number> {
  const removed = new Set((await store.removed(Number.MAX_SAFE_INTEGER)).map(({ id }) => id))
  let orphans = 0
  for await (const id of backend.ids()) if (!removed.has(id) && !(await store.find(id))) orphans += 1
  return orphans
}
