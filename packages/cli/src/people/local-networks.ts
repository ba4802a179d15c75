import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { assertOwnFolder, readTrusted } from '@tidegate/common/safe-files'
import { CLI_LIMITS } from '../limits.js'
import { runFolders, writePrivately } from './files/folders.js'

/** The note of a running `tidegate dev` for the other commands of its user. */
export interface LocalNetworkNote {
  pid: number
  providerUrl: string
  rpcUrl: string
  chainId: number
}

/**
 * Writes a note of a running local network, so that the other commands find it. Returns a function that removes it. The
 * network also runs if no folder is writable.
 */
export function leaveNote({ providerUrl, rpcUrl, chainId }: Omit<LocalNetworkNote, 'pid'>): () => void {
  const note: LocalNetworkNote = { pid: process.pid, providerUrl, rpcUrl, chainId }
  for (const folder of runFolders()) {
    const path = join(folder, `dev-${process.pid}.json`)
    try {
      writePrivately(path, `${JSON.stringify(note)}\n`)
      return () => rmSync(path, { force: true })
    } catch {
      // tries the next folder
    }
  }
  return () => undefined
}

/**
 * Returns the running local networks of this user. Removes notes of killed ones. Ignores notes that another user may have
 * planted: they would decide whom this user signs for.
 */
export function runningNetworks(): LocalNetworkNote[] {
  const found = new Map<number, LocalNetworkNote>()
  for (const folder of runFolders())
    for (const file of namesIn(folder)) {
      const pid = Number(/^dev-(\d{1,10})\.json$/.exec(file)?.[1])
      if (!pid) continue
      const path = join(folder, file)
      if (!isRunning(pid)) rmSync(path, { force: true })
      else {
        const note = read(path)
        if (note?.pid === pid) found.set(pid, note)
      }
    }
  return [...found.values()]
}

function namesIn(folder: string): string[] {
  try {
    assertOwnFolder(folder)
    return readdirSync(folder)
  } catch {
    return []
  }
}

function read(path: string): LocalNetworkNote | undefined {
  try {
    const note = JSON.parse(readTrusted(path, CLI_LIMITS.files.network)) as LocalNetworkNote
    const isNote = URL.canParse(note.providerUrl) && URL.canParse(note.rpcUrl) && Number.isSafeInteger(note.chainId)
    return isNote ? note : undefined
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
