import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { Disk } from '../../packages/hosting/src/local/local-backend.js'

/** What was done to the disk, in order. Paths are absolute. */
type Change =
  | { kind: 'folder' | 'file' | 'unlink' | 'sync' | 'sync folder'; path: string }
  | { kind: 'write'; path: string; at: number; bytes: Buffer }

/** What a power failure leaves of changes that were not synced: nothing, all of them, or some at random. */
export type Unsynced = 'lost' | 'kept' | 'some'

/**
 * Records what is done to files, and knows what a power failure would leave of it.
 * Data is safe once its file was synced, and the entry of a file or folder once its folder was.
 */
export class RecordedDisk {
  readonly changes: Change[] = []

  /** The disk of this machine, with a recorder for some of its paths. */
  recording(isRecorded: (path: string) => boolean): Disk {
    const { changes } = this
    const { open, mkdir, unlink } = promises
    const recorded = {
      async mkdir(...args: Parameters<typeof mkdir>) {
        const missing: string[] = []
        for (let at = resolve(String(args[0])); !existsSync(at); at = dirname(at)) missing.unshift(at)
        const made = await mkdir(...args)
        for (const path of missing) if (isRecorded(path)) changes.push({ kind: 'folder', path })
        return made
      },
      async unlink(...args: Parameters<typeof unlink>) {
        await unlink(...args)
        const path = resolve(String(args[0]))
        if (isRecorded(path)) changes.push({ kind: 'unlink', path })
      },
      async open(...args: Parameters<typeof open>) {
        const path = resolve(String(args[0]))
        const isNew = !existsSync(path)
        const handle = await open(...args)
        if (!isRecorded(path) && !isRecorded(join(path, 'x'))) return handle
        if (isNew) changes.push({ kind: 'file', path })
        const kind = (await handle.stat()).isDirectory() ? ('sync folder' as const) : ('sync' as const)
        const { writev, sync } = handle
        handle.writev = (async (batches: Buffer[], position: number) => {
          const result = await writev.call(handle, batches, position)
          const all = Buffer.concat(batches).subarray(0, result.bytesWritten)
          // a power failure may leave one half of it
          const half = Math.ceil(all.length / 2)
          for (let done = 0; done < all.length; done += half)
            changes.push({ kind: 'write', path, at: position + done, bytes: all.subarray(done, done + half) })
          return result
        }) as typeof writev
        handle.sync = async () => {
          await sync.call(handle)
          changes.push({ kind, path })
        }
        return handle
      },
    }
    return { ...promises, ...recorded } as unknown as Disk
  }

  /** Writes what is left after a power failure behind the first `count` changes into a new folder. */
  leave(count: number, unsynced: Unsynced, from: string, to: string, random: () => number): void {
    const keeps = () => unsynced === 'kept' || (unsynced === 'some' && random() < 0.5)
    const done = this.changes.slice(0, count)
    const lastly = (kind: Change['kind'], path: string) =>
      done.findLastIndex((one) => one.kind === kind && one.path === path)
    const synced = (kind: 'sync' | 'sync folder', path: string, at: number) => lastly(kind, path) > at
    const files = new Map<string, Buffer>()
    const folders = new Set<string>()
    const isThere = (path: string) => folders.has(dirname(path)) || dirname(path) === from
    done.forEach((change, at) => {
      const { path } = change
      const isEntrySafe = () => synced('sync folder', dirname(path), at) || keeps()
      if (change.kind === 'folder' && isThere(path) && isEntrySafe()) folders.add(path)
      if (change.kind === 'file' && isThere(path) && isEntrySafe()) files.set(path, Buffer.alloc(0))
      if (change.kind === 'unlink' && isEntrySafe()) files.delete(path)
      const content = files.get(path)
      if (change.kind === 'write' && content && (synced('sync', path, at) || keeps())) {
        const grown = Buffer.alloc(Math.max(content.length, change.at + change.bytes.length))
        content.copy(grown)
        change.bytes.copy(grown, change.at)
        files.set(path, grown)
      }
    })
    const target = (path: string) => join(to, relative(from, path))
    for (const path of folders) mkdirSync(target(path), { recursive: true, mode: 0o700 })
    for (const [path, content] of files) writeFileSync(target(path), content)
  }
}

/** Numbers from 0 to 1, the same in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
