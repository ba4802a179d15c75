import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { assertOwnFolder, readTrusted } from '@tidegate/client/safe-files'
import { runFolders, writePrivately } from './folders.js'

/** Maximum bytes of a note. */
const NOTE = 4_096

/** What a running `tidegate dev` tells the other commands of its user. */
export interface LocalNetworkNote {
  pid: number
  providerUrl: string
  rpcUrl: string
  chainId: number
}

/**
 * Leaves a note of a running local network, so that the commands for people find it by themselves. Returns what removes it. A
 * folder that cannot be written to is no reason for the network not to run.
 */
export function leaveNote({ providerUrl, rpcUrl, chainId }: Omit<LocalNetworkNote, 'pid'>): () => void {
  const note: LocalNetworkNote = { pid: process.pid, providerUrl, rpcUrl, chainId }
  for (const folder of runFolders()) {
    const path = join(folder, `dev-${process.pid}.json`)
    try {
      writePrivately(path, `${JSON.stringify(note)}\n`)
      return () => rmSync(path, { force: true })
    } catch {
      // the next folder
    }
  }
  return () => undefined
}

/**
 * The local networks of this user that are running. Notes of those that were killed are removed. What another user may
 * have planted is ignored: it would decide whom this user signs for.
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
    const note = JSON.parse(readTrusted(path, NOTE)) as LocalNetworkNote
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
