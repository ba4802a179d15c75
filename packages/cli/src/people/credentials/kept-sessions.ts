import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { forgetSession, useSession } from '@tidegate/client'
import { readTrusted } from '@tidegate/common/safe-files'
import { CLI_LIMITS } from '../../limits.js'
import { sessionsFolder, writePrivately } from '../files/folders.js'
import { jsonLines } from '../lines.js'
import type { Session } from '../session.js'

const { sessions: MOST, sessionBytes: BYTES } = CLI_LIMITS.files

/** A session in which credentials were presented. Its id opens what was presented. */
interface Kept {
  did: string
  service: string
  session: string
}

type Owner = Pick<Session, 'client' | 'where' | 'address'>

/** Lets a client use the sessions that its account has kept for this provider. */
export function useKeptSessions(owner: Owner): void {
  for (const { did, service, session } of readSessions(owner)) useSession(owner.client.context, did, service, session)
}

/** Keeps a session for later commands. Throws errors of the file system. */
export function keepSession(owner: Owner, { did, service, session }: Kept): void {
  const others = readSessions(owner).filter((one) => one.did !== did || one.service !== service)
  writeSessions(owner, [...others, { did, service, session }])
}

/** Forgets the sessions of a service, or of all services of an asset. Returns whether there were any. Throws errors of the file system. */
export function forgetSessions(owner: Owner, did: string, service: string | undefined): boolean {
  const kept = readSessions(owner)
  const gone = kept.filter((one) => one.did === did && (service === undefined || one.service === service))
  if (gone.length === 0) return false
  for (const one of gone) forgetSession(owner.client.context, did, one.service)
  writeSessions(
    owner,
    kept.filter((one) => !gone.includes(one)),
  )
  return true
}

/** Returns the file of a provider and an account. */
function fileOf({ where: { provider }, address }: Owner): string {
  const name = createHash('sha256').update(`${provider} ${address?.toLowerCase()}`).digest('hex')
  return join(sessionsFolder(), `${name}.jsonl`)
}

/** Reads the kept sessions, the newest last. None without a file that can be read and trusted: credentials are then asked for again. */
function readSessions(owner: Owner): Kept[] {
  if (owner.address === undefined) return []
  try {
    return [...jsonLines(readTrusted(fileOf(owner), BYTES))].filter(isKept)
  } catch {
    return []
  }
}

function isKept(line: unknown): line is Kept {
  const { did, service, session } = (line ?? {}) as Partial<Kept>
  return [did, service, session].every((text) => typeof text === 'string')
}

function writeSessions(owner: Owner, kept: Kept[]): void {
  const lines = kept.slice(-MOST).map((one) => `${JSON.stringify(one)}\n`)
  while (Buffer.byteLength(lines.join('')) > BYTES) lines.shift()
  writePrivately(fileOf(owner), lines.join(''))
}
